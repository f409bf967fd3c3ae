// The analytic engine: dates by the recurrence of the model, without a simulator.
#pragma once

#include "sim/star/engine/engine.hpp"

namespace starport {

/// Engine that dates transfers by the recurrence of the model (sim/star/recurrence.hpp), without a
/// simulator. Gives the same transfers in the same order as the SimGrid engine, with dates equal
/// within a relative 1e-9, much faster. run(), stream() and measure() throw SimulationError on
/// multi-port platforms.
class AnalyticEngine final : public Engine {
 public:
  /// Creates an engine with limits on wall-clock time and memory per run; none by default.
  explicit AnalyticEngine(SimulationLimits limits = {}) : limits_(limits) {}

  using Engine::run;
  Run run(const Platform& platform, const Problem& problem, const Planner& planner,
          const Noise& noise) const override;
  PlanSummary stream(const Platform& platform, const Problem& problem, const Planner& planner,
                     const Noise& noise, const TransferConsumer& consumer) const override;
  std::optional<PlanSummary> measure(const Platform& platform, const Problem& problem,
                                     const Planner& planner, const Noise& noise,
                                     MetricsAccumulator& meter) const override;

 private:
  SimulationLimits limits_;
};

}  // namespace starport
