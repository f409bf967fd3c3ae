// Describes a specification to people before it is run (`starport sweep`, and `starport sweep
// --list`).
#pragma once

#include "sim/sweep/specification.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// Returns a text of several lines, ending with a newline: the numbers of instances and rows of the
/// sweep (and of instances of the shard), then per experiment its axes and, if it draws platforms,
/// the minimum, maximum and coefficient of variation of c, w and m over all drawn workers.
/// Simulates nothing, but draws every platform of the experiments, which may take long.
std::string describe_specification(const Specification& specification, Shard shard);

/// Calls `on_line` with a header line and then one line per instance of the shard, in increasing
/// order, until it returns false. The columns of the lines are aligned; `line` is valid during the
/// call only. Instances are made one at a time, so that memory does not grow with their number.
void list_instances(const Specification& specification, Shard shard,
                    const std::function<bool(std::string_view line)>& on_line);

}  // namespace starport
