// The same runtime driven by SimGrid actors, in a process of its own.
#pragma once

#include "sim/tiles/event_engine.hpp"

namespace starport::tiles {

/// As run_events(): the same transfers, and the same dates up to rounding. `time_limit_s` is of the
/// wall clock; 0: none. Throws SimulationError.
Trace run_simgrid(const Platform& platform, const Work& work, const StrategyMaker& strategy,
                  const Options& options, double time_limit_s = 0);

}  // namespace starport::tiles
