// Generators of platforms as a sweep's specification gives them.
#pragma once

#include "sim/files/json_node.hpp"
#include "sim/sweep/specification.hpp"

#include <vector>

namespace starport {

/// {"name": "random", "workers": [8, 16], "parameters": {"ratio": [2, 4]}, "speed": {"divide":
/// "1Gf", "by": {"uniform": [1, "$ratio"]}}, ...}: a source for each number of workers and each
/// combination of values of the parameters, the last one fastest. Throws InputError.
std::vector<PlatformSource> read_generator(const JsonNode& node);

}  // namespace starport
