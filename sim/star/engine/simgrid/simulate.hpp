// One simulation by SimGrid actors, inside the process that it has for itself.
#pragma once

#include "sim/star/dispatcher.hpp"
#include "sim/star/engine/isolated_run.hpp"

#include <cstddef>

namespace starport {

/// Runs what the dispatcher emits, to its end, and writes a frame, a PortEvent, for each transfer
/// once it and the update it allows are over. Throws SimulationError when it does not get there. To
/// be called once in a process, which it ends: SimGrid does not survive its own shutdown.
void simulate_on_simgrid(const Platform& platform, const Problem& problem, Dispatcher& dispatcher,
                         const Noise& noise, std::size_t most_transfers, FrameWriter& out);

}  // namespace starport
