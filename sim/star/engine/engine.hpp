// Anything that can run a schedule and date it.
#pragma once

#include "sim/files/cause.hpp"
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

/// What is told of a run beside its transfers.
struct PlanSummary {
  double decision_s = 0;                                     ///< wall-clock time of planning
  std::vector<std::pair<std::string, std::string>> details;  ///< those of the plan
};

/// What came out of a run.
struct Run : PlanSummary {
  Trace trace;
};

/// A plan, where it runs, and what is measured of that.
struct PlannedRun {
  const Platform* platform;
  const Problem* problem;
  Plan* plan;
  MetricsAccumulator* meter;
};

/// Makes the plan that is to be run.
using Planner = std::function<Plan()>;

/// Gets the transfers of a run, in the order of the port.
using TransferConsumer = std::function<void(const TracedTransfer&)>;

class Engine {
 public:
  virtual ~Engine() = default;

  /// Plans, then runs what the plan's dispatcher emits on the platform, to its end, in a process
  /// of its own. Planning knows nothing of the noise. Throws SimulationError when it does not get
  /// there, NotApplicable when the planner does.
  virtual Run run(const Platform& platform, const Problem& problem, const Planner& planner,
                  const Noise& noise) const = 0;
  Run run(const Platform& platform, const Problem& problem, const Planner& planner) const {
    return run(platform, problem, planner, Noise{});
  }

  /// The same for one who takes each transfer as it comes, so that no trace is kept.
  virtual PlanSummary stream(const Platform& platform, const Problem& problem, const Planner& planner,
                          const Noise& noise, const TransferConsumer& take) const;

  /// The same in this process and without any transfer, only measured, for an engine that can:
  /// nullopt otherwise. Planning has no time limit here.
  virtual std::optional<PlanSummary> measure(const Platform& /*platform*/, const Problem& /*problem*/,
                                         const Planner& /*planner*/, const Noise& /*noise*/,
                                         MetricsAccumulator& /*meter*/) const {
    return std::nullopt;
  }
  /// Several runs without noise, as by measure(), sooner at once than one by one, but for how long
  /// the link and the computations of each worker took. The time limit is that of each, together.
  /// False: it cannot.
  virtual bool measure_batch(std::span<const PlannedRun> /*runs*/) const { return false; }
};

/// A transfer as it goes through the simulation; `index` is its rank at the port.
struct SimulatedTransfer {
  std::size_t index = 0;
  TracedTransfer traced;
};

/// Runs what the plan's dispatcher emits and writes a frame, a SimulatedTransfer, for each transfer, in any
/// order.
using Simulate = std::function<void(Plan& plan, FrameWriter& out)>;

/// How many transfers of a run fit in memory. Of each it takes 60 bytes at most, for Polaris's
/// plan, or 220 under noise, where the order is kept: measured, rounded up.
std::size_t most_transfers(const SimulationLimits& limits, const Noise& noise);
MachineError too_many_transfers(std::size_t most);

/// Plans and simulates in a forked process. Throws what run_in_child throws, and SimulationError
/// when transfers are missing.
PlanSummary run_isolated(const Planner& planner, const Simulate& simulate, double time_limit_s,
                      const TransferConsumer& take);

/// The run whose transfers `stream` hands over, with its trace.
template <class Follow>
Run traced(const SimulationLimits& limits, const Follow& stream) {
  constexpr double bytes = 320;  // of each, with the schedule that may be made of it
  const double most = limits.memory_bytes / bytes;
  Run run;
  static_cast<PlanSummary&>(run) = stream([&](const TracedTransfer& traced) {
    if (static_cast<double>(run.trace.size()) >= most) throw too_many_transfers(run.trace.size());
    run.trace.push_back(traced);
  });
  return run;
}

}  // namespace starport
