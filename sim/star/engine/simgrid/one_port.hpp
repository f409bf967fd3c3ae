// The master that is in one transfer at a time.
#pragma once

#include "sim/star/engine/simgrid/simulation.hpp"

namespace starport {

/// The master's actor: the one-port rule holds because it is one actor and each of its transfers
/// blocks it. Throws SimulationError.
void run_one_port(Simulation& simulation);

/// The worker's side of a transfer.
void move_on_one_port(Simulation& simulation, WorkerProcess& worker, const Message& message);

}  // namespace starport
