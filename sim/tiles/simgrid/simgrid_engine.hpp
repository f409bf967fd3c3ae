// The SimGrid engine of the tile model: SimGrid actors drive the runtime in a child process.
// Includes nothing of SimGrid.
#pragma once

#include "sim/tiles/event_engine.hpp"

namespace starport::tiles {

/// Simulates the execution of all tasks of `graph` with SimGrid in a forked child process, where
/// the strategy runs too, and returns the trace (tasks, transfers and evictions); its dates in
/// simulated seconds equal those of run_event_engine() up to rounding. The platform must have at
/// least one worker. Blocks for at most about `time_limit_s` seconds of wall-clock time (0: no
/// limit). Throws SimulationError if no task can start before all have run, if the strategy throws
/// another exception than those below, if a worker without Worker::reduction_s gets a reduction
/// (addition of two tiles), or if the child crashes; MachineError if it exceeds the limit or its
/// memory, is killed or cannot be started; NotApplicable if the strategy does.
TileTrace run_simgrid_engine(const Platform& platform, const TaskGraph& graph,
                             const StrategyMaker& strategy, const EngineOptions& options,
                             double time_limit_s = 0);

}  // namespace starport::tiles
