// Reads the platform generators of a sweep's specification.
#pragma once

#include "sim/files/json_node.hpp"
#include "sim/sweep/specification.hpp"

#include <vector>

namespace starport {

/// Reads a generator of random platforms, such as {"name": "random", "workers": [8, 16],
/// "parameters": {"ratio": [2, 4]}, "speed": {"divide": "1Gf", "by": {"uniform": [1, "$ratio"]}},
/// ...}. Returns one source for each number of workers and each combination of parameter values,
/// the last parameter varying fastest. Draws no platform. Throws InputError with the JSON pointer
/// of the fault, such as an unknown key or parameter, or more than 100 000 combinations.
std::vector<PlatformSource> read_generator(const JsonNode& node);

}  // namespace starport
