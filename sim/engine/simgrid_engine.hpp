// The reference engine: SimGrid actors, messages and computations.
#pragma once

#include "sim/engine/engine.hpp"

#include <cstddef>

namespace starport {

struct SimulationLimits {
  double time_limit_s = 0;                ///< wall clock; 0: none
  std::size_t most_transfers = SIZE_MAX;  ///< beyond, the trace would not fit in memory
};

/// One master actor and two actors per worker, one that communicates and one that computes, on
/// SimGrid's network and CPU models. Each simulation runs in a process of its own.
class SimgridEngine final : public Engine {
 public:
  explicit SimgridEngine(SimulationLimits limits = {}) : limits_(limits) {}

  std::string name() const override { return "simgrid"; }
  Trace simulate(const Platform& platform, const Problem& problem,
                 Dispatcher& dispatcher) const override;

 private:
  SimulationLimits limits_;
};

/// The version of the SimGrid library in use, "3.32".
std::string simgrid_version();

}  // namespace starport
