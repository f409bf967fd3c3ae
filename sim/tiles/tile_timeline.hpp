// A run of tile tasks as a timeline: the workers of the hub, then of each GPU the two directions of
// its link above its computation.
#pragma once

#include "sim/results/timeline.hpp"
#include "sim/tiles/trace.hpp"

#include <string>

namespace starport::tiles {

/// One slice for each transfer and each task, in the order of their starts. `bound_s`: before it no
/// run ends. Where the memory was limited, slices of GPUs tell what it holds.
Timeline tile_timeline(const std::string& name, const Platform& platform, const Work& work,
                       const Trace& trace, double bound_s, bool limited_memory);

}  // namespace starport::tiles
