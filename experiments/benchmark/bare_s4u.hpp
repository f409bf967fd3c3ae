// What the engine is compared with: a SimGrid program that does nothing but send the messages.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/schedule.hpp"

#include <vector>

namespace starport {

/// Actors per worker of the bare program.
enum class BareWorker {
  one_actor,  ///< receives, waits for its previous computation, starts the next one
  two_actors  ///< one communicates, one computes, as in the engine
};

/// Sends the transfers' messages and runs their computations, in a process of its own, with no
/// dispatcher, no dates recorded and no trace. Returns the simulated makespan, in seconds.
double run_bare_s4u(const Platform& platform, const Problem& problem,
                    const std::vector<Transfer>& transfers, BareWorker kind);

}  // namespace starport
