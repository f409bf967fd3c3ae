// The algorithms of all models, by name.
#pragma once

#include "heuristics/registry.hpp"
#include "sim/study/model.hpp"

#include <string_view>
#include <vector>

namespace starport {

/// Those that lists can name, of every model.
const std::vector<const AlgorithmEntry*>& algorithm_entries();

/// Reads a list as --heuristics takes it. Throws InputError that names the place.
std::vector<NamedAlgorithm> read_algorithms(std::string_view list, std::string_view place);

}  // namespace starport
