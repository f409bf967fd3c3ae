// The SimGrid engine of the tile model: SimGrid actors drive the runtime in a child process.
#pragma once

#include "sim/tiles/event_engine.hpp"

namespace starport::tiles {

/// Executes the task graph with SimGrid in a forked child process, where the strategy runs too, and
/// returns the trace; its dates in simulated seconds equal those of run_event_engine() up to
/// rounding. Blocks for at most `time_limit_s` seconds of wall-clock time (0: no limit). Throws
/// SimulationError if no task can start before all have run, or if the child crashes; MachineError
/// if it exceeds the limit, is killed or cannot be started; NotApplicable if the strategy does.
Trace run_simgrid_engine(const Platform& platform, const TaskGraph& graph,
                         const StrategyMaker& strategy, const EngineOptions& options,
                         double time_limit_s = 0);

}  // namespace starport::tiles
