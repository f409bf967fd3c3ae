// Describes a specification to people before it is run (`starport sweep`, and `starport sweep
// --list`).
#pragma once

#include "sim/sweep/specification.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// Returns a text of several lines, ending with a newline: the numbers of instances and rows of the
/// sweep (and of instances of the shard, if `shard` is not the whole sweep), then per experiment
/// its axes and, if it draws platforms, the minimum, maximum and coefficient of variation (standard
/// deviation / mean) of c, w (seconds per block) and m (blocks) over all drawn workers, at the
/// first block size and the first value of each override. Simulates nothing, but draws every
/// platform of the experiments, which may take long. Throws InputError when a drawn platform has
/// figures out of range or an override does not fit it. Every axis must have a value, as after
/// load_specification() (undefined behaviour otherwise).
std::string describe_specification(const Specification& specification, Shard shard);

/// Calls `on_line` with a header line and then one line per instance of the shard, in increasing
/// order, until it returns false or no instance is left. The columns of the lines are aligned;
/// `line` ends with a newline and is valid during the call only. Instances are made one at a time,
/// so that memory does not grow with their number. Throws InputError when an override does not fit
/// the platform of an instance (after the lines before it); exceptions of `on_line`, which must not
/// be empty, pass through.
void list_instances(const Specification& specification, Shard shard,
                    const std::function<bool(std::string_view line)>& on_line);

}  // namespace starport
