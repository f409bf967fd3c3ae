// The reference engine, which simulates with SimGrid actors, communications and computations.
// Includes nothing of SimGrid.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform.hpp"
#include "sim/star/engine/engine.hpp"

namespace starport {

/// Engine that simulates schedules on SimGrid's network and CPU models, the reference for
/// AnalyticEngine: one actor (simulated process) for the master, which performs the transfers, and
/// one per worker, which computes; on several ports another one per worker performs its transfers.
/// Supports all kinds of port of the master (Port::Kind); noise only where it is defined for that
/// kind (port_needed()) and without Variation::measured, otherwise run() and stream() throw
/// SimulationError, as they do if more workers take part than the machine allows actors. Always
/// simulates in a child process: measure() and stream_here() return nullopt.
class SimgridEngine final : public Engine {
 public:
  /// Creates an engine with limits on the wall-clock time of each run, planning included, and on
  /// the memory for its transfers; none by default. run() and stream() throw MachineError for a run
  /// that exceeds one.
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
