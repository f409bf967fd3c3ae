// One simulation by SimGrid actors, inside the process that it has for itself.
#pragma once

#include "sim/tiles/event_engine.hpp"

#include <functional>

namespace starport::tiles {

/// Gives the trace to `take` once it is complete. Ends the process: SimGrid does not survive its
/// own shutdown. Throws SimulationError, or ends the process with it.
void simulate_on_simgrid(const Platform& platform, const Work& work, const StrategyMaker& strategy,
                         const Options& options, const std::function<void(const Trace&)>& take);

}  // namespace starport::tiles
