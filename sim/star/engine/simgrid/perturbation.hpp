// What noise does to the actors: transfers whose durations vary, slow-downs, stops.
#pragma once

#include "sim/star/engine/simgrid/simulation.hpp"

namespace starport {

/// An actor's: slow-downs and stops, each at its date.
void bring_about(Simulation& simulation);

/// On the worker's side of a transfer, which is about to begin.
void begin_noisy_transfer(Simulation& simulation, WorkerProcess& worker, const Message& message);

// Where something may happen during a transfer, the worker posts its side first: were there no
// worker any more, the master would wait for ever.

/// The worker's side.
void take_part_first(Simulation& simulation, WorkerProcess& worker, const Message& message);
/// The master's, once the worker is ready.
void exchange_in_step(Simulation& simulation, WorkerProcess& worker, const Message& message);

}  // namespace starport
