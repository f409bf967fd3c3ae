// A specification for people, before it runs.
#pragma once

#include "sim/sweep/specification.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// How many instances and rows; then, for each experiment, its axes, and of the platforms that it
/// draws the smallest, the largest and the coefficient of variation of c, w and m.
std::string summary(const Specification& specification, Shard shard);

/// A line for the names of the columns and one for each instance of the shard, as they are made,
/// until `take` wants no more.
void list_instances(const Specification& specification, Shard shard,
                    const std::function<bool(std::string_view line)>& take);

}  // namespace starport
