// The reference engine: SimGrid actors, messages and computations.
#pragma once

#include "sim/star/engine/engine.hpp"

namespace starport {

/// One master actor, which moves the blocks, and one actor per worker, which computes; on several
/// ports another one, which communicates. On SimGrid's network and CPU models.
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
