// The reference engine: a simulation with SimGrid actors, communications and computations.
#pragma once

#include "sim/star/engine/engine.hpp"

namespace starport {

/// Engine on SimGrid's network and CPU models, the reference: one actor for the master, which
/// performs the transfers, and one actor per worker, which computes; on several ports another actor
/// per worker performs its transfers. Supports all ports, noise only as far as the model defines it
/// for the port. Does not support measure(). Throws SimulationError also if
/// more workers take part than the machine allows actors.
class SimgridEngine final : public Engine {
 public:
  /// Creates an engine with limits on wall-clock time and memory per run; none by default.
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
