// The two actors of a worker.
#pragma once

#include "sim/star/engine/simgrid/simulation.hpp"

namespace starport {

/// Takes part in the transfers assigned to it, one after the other. The buffers are respected
/// because it does so only once the update that frees them is complete: until then the port is
/// held.
void communicate(Simulation& simulation, WorkerProcess& worker);

/// Computes the updates one at a time, in the order of arrival of their data.
void compute(Simulation& simulation, WorkerProcess& worker);

}  // namespace starport
