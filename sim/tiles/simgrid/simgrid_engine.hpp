// The SimGrid engine of the tile model: SimGrid actors drive the runtime in a child process.
// Includes nothing of SimGrid.
#pragma once

#include "sim/tiles/event_engine.hpp"

namespace starport::tiles {

/// Simulates the execution of all tasks of `graph` with SimGrid in a forked child process, where
/// the strategy runs too, and returns the trace (tasks, transfers and evictions); its dates in
/// simulated seconds equal those of run_event_engine() up to rounding. The platform must have at
/// least one worker (not checked). Blocks for at most about `time_limit_s` seconds of wall-clock
/// time (0 or less: no limit). Throws NotApplicable or MachineError if the strategy does;
/// MachineError if the child exceeds the limit, runs out of memory, is killed or cannot be started;
/// and SimulationError if tasks are left that can never start, if the child crashes, for any other
/// exception of the strategy, or if a worker without Worker::reduction_s gets a reduction (addition
/// of two tiles). Call it from a process with one thread, since it forks.
TileTrace run_simgrid_engine(const Platform& platform, const TaskGraph& graph,
                             const StrategyMaker& strategy, const EngineOptions& options,
                             double time_limit_s = 0);

}  // namespace starport::tiles
