// A specification for people, before it runs.
#pragma once

#include "sim/study/specification.hpp"

#include <string>

namespace starport {

/// How many instances and rows; then, for each experiment, its axes, and of the platforms that it
/// draws the smallest, the largest and the coefficient of variation of c, w and m.
std::string summary(const Specification& specification, Shard shard);

/// A line for each instance of the shard.
std::string instance_list(const Specification& specification, Shard shard);

}  // namespace starport
