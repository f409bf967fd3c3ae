// What the SimGrid engine of tile tasks is compared with: a program that sends the same tiles.
#pragma once

#include "sim/tiles/trace.hpp"

namespace starport::tiles {

/// Sends the trace's tiles and computes its tasks with as many actors, in a process of its own:
/// each direction's one after the other, each worker's likewise. Nobody waits for a tile, no dates
/// are written down, no trace comes back. Returns the simulated seconds.
double run_bare_tiles(const Platform& platform, const TileTrace& trace);

}  // namespace starport::tiles
