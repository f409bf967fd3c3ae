// The reference engine: a simulation with SimGrid actors, communications and computations.
#pragma once

#include "sim/star/engine/engine.hpp"

namespace starport {

/// Engine on SimGrid's network and CPU models: one actor for the master, which performs the
/// transfers, and one actor per worker, which computes; on several ports another actor per worker
/// performs its transfers. Supports all ports.
class SimgridEngine final : public Engine {
 public:
  explicit SimgridEngine(SimulationLimits limits = {}) : limits_(limits) {}

  using Engine::run;
  Run run(const Platform& platform, const Problem& problem, const Planner& planner,
          const Noise& noise) const override;
  PlanSummary stream(const Platform& platform, const Problem& problem, const Planner& planner,
                     const Noise& noise, const TransferConsumer& consumer) const override;

 private:
  SimulationLimits limits_;
};

}  // namespace starport
