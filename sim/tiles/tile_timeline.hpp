// Converts the trace of a run of tile tasks to a timeline for charts and trace files.
#pragma once

#include "sim/results/timeline.hpp"
#include "sim/tiles/trace.hpp"

#include <string>

namespace starport::tiles {

/// Creates a timeline called `name` with one slice per transfer and task, in the order of their
/// starts. Its lanes are the CPU workers, then for each GPU both directions of its link and its
/// computation. `bound_s` is the lower bound on the makespan, in seconds, to draw. If
/// `limited_memory` is true, the slices of GPUs carry the number of tiles in memory. `trace` must
/// be a run of `graph` on `platform`; this is not checked. The result refers to none of the
/// arguments.
Timeline make_tile_timeline(const std::string& name, const Platform& platform,
                            const TaskGraph& graph, const Trace& trace, double bound_s,
                            bool limited_memory);

}  // namespace starport::tiles
