// The SimGrid engine of the tile model: SimGrid actors drive the runtime in a child process.
#pragma once

#include "sim/tiles/event_engine.hpp"

namespace starport::tiles {

/// Executes the task graph with SimGrid in a child process and returns the trace, which equals that
/// of run_event_engine() up to rounding of its dates. Throws SimulationError if the simulation
/// fails or exceeds `time_limit_s` seconds of wall time (0: no limit).
Trace run_simgrid_engine(const Platform& platform, const TaskGraph& graph,
                         const StrategyMaker& strategy, const EngineOptions& options,
                         double time_limit_s = 0);

}  // namespace starport::tiles
