// The algorithms of all models, by name.
#pragma once

#include "sim/study/model.hpp"

#include <string_view>
#include <vector>

namespace starport {

/// Reads a list as --heuristics takes it. Throws InputError that names the place.
std::vector<NamedAlgorithm> read_algorithms(std::string_view list, std::string_view place);

}  // namespace starport
