// Describes a specification to people before it is run (`starport sweep --dry-run`, `--list`).
#pragma once

#include "sim/sweep/specification.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// Returns the numbers of instances and rows, then for each experiment its axes and, when it draws
/// platforms, the minimum, maximum and coefficient of variation of c, w and m. Draws every platform
/// of the experiments.
std::string describe_specification(const Specification& specification, Shard shard);

/// Calls `on_line` with a header line and then one line per instance of the shard, until it returns
/// false. Instances are made one at a time.
void list_instances(const Specification& specification, Shard shard,
                    const std::function<bool(std::string_view line)>& on_line);

}  // namespace starport
