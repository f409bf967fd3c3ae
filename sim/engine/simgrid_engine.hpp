// The reference engine: SimGrid actors, messages and computations.
#pragma once

#include "sim/engine/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace starport {

struct SimulationLimits {
  double time_limit_s = 0;                ///< wall clock, planning included; 0: none
  std::size_t most_transfers = SIZE_MAX;  ///< beyond, the trace would not fit in memory
};

/// One master actor and two actors per worker, one that communicates and one that computes, on
/// SimGrid's network and CPU models. Each run, its planning included, has a process of its own.
class SimgridEngine final : public Engine {
 public:
  explicit SimgridEngine(SimulationLimits limits = {}) : limits_(limits) {}

  std::string name() const override { return "simgrid"; }
  Run run(const Platform& platform, const Problem& problem, const Planner& planner) const override;

 private:
  SimulationLimits limits_;
};

}  // namespace starport
