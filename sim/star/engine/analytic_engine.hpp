// The second engine: the recurrence of the dates, without a simulator.
#pragma once

#include "sim/star/engine/engine.hpp"

namespace starport {

/// Transfer after transfer, by sim/star/master_view.hpp: the same transfers in the same order as on
/// SimGrid, dates equal to 1e-9.
class AnalyticEngine final : public Engine {
 public:
  explicit AnalyticEngine(SimulationLimits limits = {}) : limits_(limits) {}

  using Engine::run;
  Run run(const Platform& platform, const Problem& problem, const Planner& planner,
          const Noise& noise) const override;
  PlanSummary stream(const Platform& platform, const Problem& problem, const Planner& planner,
                  const Noise& noise, const TransferConsumer& take) const override;
  std::optional<PlanSummary> measure(const Platform& platform, const Problem& problem,
                                 const Planner& planner, const Noise& noise,
                                 MetricsAccumulator& meter) const override;
  bool measure_batch(std::span<const PlannedRun> runs) const override;

 private:
  SimulationLimits limits_;
};

}  // namespace starport
