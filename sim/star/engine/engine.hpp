// Interface of the engines, which run schedules and date their transfers, and the analytic engine,
// which does so by the recurrence of the model.
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

/// Facts about the plan of a run: the part of the result of a run that is not its transfers.
struct PlanSummary {
  /// Duration of planning in wall-clock seconds.
  double decision_s = 0;
  /// Names and values of choices that the heuristic made, for reports (Plan::details).
  std::vector<std::pair<std::string, std::string>> details;
};

/// Result of a run: its trace and the facts about its plan.
struct Run : PlanSummary {
  /// Transfers with their dates in simulated seconds, in the order in which the master decided
  /// them.
  Trace trace;
};

/// Function that makes the plan to run. May throw NotApplicable. Engine::run() and stream() call it
/// in a child process, measure() in this one.
using Planner = std::function<Plan()>;

/// Function that receives the transfers of a run in the order in which the master decided them, in
/// the calling process. The reference is valid during the call.
using TransferConsumer = std::function<void(const TracedTransfer&)>;

/// An engine: plans and runs a schedule on a platform and dates its transfers in simulated seconds.
/// Engines have no state but their limits, so one object may run any number of schedules.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Plans and runs a schedule to its end in a forked child process and returns its trace.
  /// `planner` does not see the noise. Throws SimulationError if planning or the run fails or
  /// crashes, MachineError if it exceeds the time or memory limit of the engine or the child is
  /// killed, and NotApplicable if the planner does. Blocks until the run ends.
  virtual Run run(const Platform& platform, const Problem& problem, const Planner& planner,
                  const Noise& noise) const = 0;
  /// Plans and runs a schedule without noise in a forked child process and returns its trace.
  /// Throws SimulationError if planning or the run fails or crashes, MachineError if it exceeds a
  /// limit of the engine or the child is killed, and NotApplicable if the planner does.
  Run run(const Platform& platform, const Problem& problem, const Planner& planner) const {
    return run(platform, problem, planner, Noise{});
  }

  /// Plans and runs a schedule to its end in a forked child process, and passes each transfer to
  /// `consumer` in this process instead of storing a trace. Throws SimulationError if planning or
  /// the run fails or crashes, MachineError if it exceeds a limit of the engine or the child is
  /// killed, NotApplicable if the planner does, and what `consumer` throws. `consumer` may have
  /// received a part of the transfers by then. The default implementation calls run() and does
  /// store the trace.
  virtual PlanSummary stream(const Platform& platform, const Problem& problem,
                             const Planner& planner, const Noise& noise,
                             const TransferConsumer& consumer) const;

  /// Plans and runs a schedule in this process, without a child, and only adds its metrics to
  /// `meter`, which must be zero initially. Returns nullopt without running if the engine does not
  /// support this. Throws MachineError at the time limit, which does not interrupt planning,
  /// SimulationError if the run fails or is incomplete, and what the planner throws. A crash or an
  /// endless loop of the planner is one of this process.
  virtual std::optional<PlanSummary> measure(const Platform& /*platform*/,
                                             const Problem& /*problem*/, const Planner& /*planner*/,
                                             const Noise& /*noise*/,
                                             MetricsAccumulator& /*meter*/) const {
    return std::nullopt;
  }
};

/// A transfer reported by a simulation in a child process. Sent to the parent as raw bytes.
struct SimulatedTransfer {
  /// Position of the transfer in the order of the master's decisions, from 0.
  std::size_t index = 0;
  /// The transfer with its dates in simulated seconds.
  TracedTransfer traced;
};

/// Function that runs a plan in a child process and writes each transfer to `out` as one frame, the
/// bytes of a SimulatedTransfer, in any order. Its exceptions are reported to the parent. If it
/// ends the process instead of returning, it writes an empty frame before, the end of the run.
using SimulationBody = std::function<void(Plan& plan, FrameWriter& out)>;

/// Returns the number of transfers of a run for which the memory limit suffices, counting 64 bytes
/// per transfer, or 240 under noise, where the order of the plan is stored; SIZE_MAX without a
/// limit.
std::size_t max_transfers(const SimulationLimits& limits, const Noise& noise);
/// Returns, and does not throw, the error that a run has more than `limit` transfers and would not
/// fit in memory.
MachineError too_many_transfers(std::size_t limit);

/// Calls `planner` and `simulate` in a forked child process and passes the transfers that it writes
/// to `consumer`, in this process and in the order of decisions. `time_limit_s` is in wall-clock
/// seconds for both together; 0: no limit. Throws SimulationError if the child throws or crashes or
/// transfers are missing, NotApplicable if the planner does, MachineError at the time limit or if
/// the child is killed, and what `consumer` throws.
PlanSummary run_isolated(const Planner& planner, const SimulationBody& simulate,
                         double time_limit_s, const TransferConsumer& consumer);

/// Calls stream(consumer), which must pass the transfers of a run to `consumer` in order and return
/// a PlanSummary, and returns both as a Run. Throws MachineError if the trace exceeds
/// limits.memory_bytes, counting 320 bytes per transfer, and what `stream` throws.
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
