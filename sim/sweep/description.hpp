// Describes a specification to people before it is run (`starport sweep`, and `starport sweep
// --list`).
#pragma once

#include "sim/sweep/specification.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// Returns a description of a sweep for users, several lines, each ending with a newline. First
/// come the numbers of instances and of rows of results, and of instances of `shard` if that is not
/// the whole sweep; then per experiment its axes (what varies). An experiment that draws platforms
/// also gets, over all drawn workers, the minimum, maximum and coefficient of variation (standard
/// deviation / mean) of c (seconds per block sent), w (seconds per block update) and m (memory in
/// blocks), at the first block size and the first value of each override. Simulates nothing, but
/// draws every platform of the experiments, which may take long. Throws InputError when a drawn
/// platform has figures out of range or an override does not fit a platform. Every axis must have a
/// value, as after load_specification() (undefined behaviour otherwise).
std::string describe_specification(const Specification& specification, Shard shard);

/// Lists the instances of a shard (part) of a sweep: calls `on_line` with a header line and then
/// one line per instance, with its platform, product and values of the axes, by increasing number,
/// until it returns false or no instance is left. The columns of the lines are aligned; `line` ends
/// with a newline and is valid during the call only. Instances are made one at a time, so that
/// memory does not grow with their number. Throws InputError when an override does not fit the
/// platform of an instance (after the lines before it); exceptions of `on_line`, which must not be
/// empty, pass through.
void list_instances(const Specification& specification, Shard shard,
                    const std::function<bool(std::string_view line)>& on_line);

}  // namespace starport
