// The registry of algorithms for tile tasks.
#pragma once

#include "heuristics/registry.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <vector>

namespace starport::tiles {

/// Returns the algorithms for tile tasks, in the order in which they are listed.
const std::vector<Entry<TileAlgorithm>>& tile_registry();

}  // namespace starport::tiles
