// The master that can be in several transfers at once: two ports, or many.
#pragma once

#include "sim/star/engine/simgrid/simulation.hpp"

namespace starport {

/// The master's actor: it decides whenever a port has nothing to do, and its transfers go on
/// meanwhile. Throws SimulationError.
void run_several_ports(Simulation& simulation);

/// A transfer, by its worker once the master has given it the port: the master has no actor for
/// each of them.
void move_on_several_ports(Simulation& simulation, WorkerProcess& worker, const Message& message);

/// The transfer is over; what it held up starts.
void free_port(Simulation& simulation, const Message& message, const Dates& dates);

}  // namespace starport
