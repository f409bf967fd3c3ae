// The list of algorithms for tile tasks.
#pragma once

#include "heuristics/registry.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <vector>

namespace starport::tiles {

const std::vector<Entry<TileAlgorithm>>& tile_registry();

}  // namespace starport::tiles
