// Interface of the engines, which run schedules and date their transfers.
#pragma once

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "sim/results/model.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/trace.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// What is known about the plan of a run: the result of a run beside its transfers.
struct PlanSummary {
  double decision_s = 0;                                     ///< wall-clock time of planning
  std::vector<std::pair<std::string, std::string>> details;  ///< Plan::details
};

/// Result of a run: its trace and what is known about its plan.
struct Run : PlanSummary {
  Trace trace;
};

/// One run of a batch: a plan, the instance it runs on, and the metrics to fill. The caller owns
/// all.
struct MeasurementJob {
  const Platform* platform;
  const Problem* problem;
  Plan* plan;
  MetricsAccumulator* meter;
};

/// Makes the plan to run. May throw NotApplicable.
using Planner = std::function<Plan()>;

/// Receives the transfers of a run in the order in which the master decided them.
using TransferConsumer = std::function<void(const TracedTransfer&)>;

/// An engine: plans and runs a schedule on a platform and dates its transfers. Engines are
/// stateless apart from their limits.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Plans and runs a schedule to its end in a process of its own and returns its trace. `planner`
  /// does not see the noise. Throws SimulationError if the run fails or exceeds a limit, and
  /// NotApplicable if the planner does.
  virtual Run run(const Platform& platform, const Problem& problem, const Planner& planner,
                  const Noise& noise) const = 0;
  /// Runs a schedule without noise. Throws as the other run().
  Run run(const Platform& platform, const Problem& problem, const Planner& planner) const {
    return run(platform, problem, planner, Noise{});
  }

  /// Runs a schedule like run(), but passes each transfer to `consumer` instead of storing a trace.
  virtual PlanSummary stream(const Platform& platform, const Problem& problem,
                             const Planner& planner, const Noise& noise,
                             const TransferConsumer& consumer) const;

  /// Runs a schedule in this process and only adds its metrics to `meter`. Returns nullopt without
  /// running if the engine does not support this. The time limit does not interrupt planning.
  /// Throws as run().
  virtual std::optional<PlanSummary> measure(const Platform& /*platform*/,
                                             const Problem& /*problem*/, const Planner& /*planner*/,
                                             const Noise& /*noise*/,
                                             MetricsAccumulator& /*meter*/) const {
    return std::nullopt;
  }
  /// Runs several schedules like measure(), without noise, which may be faster than one by one. The
  /// busy times of workers may be left at 0. The time limit applies to the sum of the runs. Returns
  /// false without running if the engine does not support this.
  virtual bool measure_batch(std::span<const MeasurementJob> /*runs*/) const { return false; }
};

/// A transfer reported by a simulation; `index` is its position in the order of decisions, from 0.
struct SimulatedTransfer {
  std::size_t index = 0;
  TracedTransfer traced;
};

/// Runs a plan and writes one SimulatedTransfer per transfer to `out` as a frame, in any order.
using SimulationBody = std::function<void(Plan& plan, FrameWriter& out)>;

/// Returns the number of transfers of a run for which the memory limit suffices. A transfer takes
/// at most 60 bytes, or 220 under noise, where the plan's order is stored (measured with Polaris).
std::size_t max_transfers(const SimulationLimits& limits, const Noise& noise);
/// Returns the error that a run has more than `limit` transfers.
MachineError too_many_transfers(std::size_t limit);

/// Plans and simulates in a forked process and passes the transfers to `consumer` in the order of
/// decisions. `time_limit_s` is wall-clock time, 0 for none. Throws what run_in_child() throws, and
/// SimulationError if transfers are missing.
PlanSummary run_isolated(const Planner& planner, const SimulationBody& simulate,
                         double time_limit_s, const TransferConsumer& consumer);

/// Returns the run that `stream` passes to its consumer, with its trace. Throws MachineError if the
/// trace does not fit in memory.
template <class Stream>
Run collect_trace(const SimulationLimits& limits, const Stream& stream) {
  constexpr double bytes = 320;  // per transfer, with the schedule that may be made of the trace
  const double most = limits.memory_bytes / bytes;
  Run run;
  static_cast<PlanSummary&>(run) = stream([&](const TracedTransfer& traced) {
    if (static_cast<double>(run.trace.size()) >= most) throw too_many_transfers(run.trace.size());
    run.trace.push_back(traced);
  });
  return run;
}

}  // namespace starport
