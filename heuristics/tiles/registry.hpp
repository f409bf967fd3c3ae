// The registry of algorithms for tile tasks.
#pragma once

#include "heuristics/registry.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <vector>

namespace starport::tiles {

/// Returns the built-in algorithms for products divided into tile tasks (one product of two tiles
/// each) with their names, parameters and factories, in the order in which they are listed to
/// users; never empty. Created at the first call, which is thread-safe; constant and valid until
/// the program ends.
const std::vector<Entry<TileAlgorithm>>& tile_registry();

}  // namespace starport::tiles
