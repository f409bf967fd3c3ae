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

/// Report of an engine on the planning of a run: how long it took, in wall-clock seconds, and which
/// choices the heuristic made. Owns its texts.
struct PlanSummary {
  /// Duration of the heuristic's planning (the call of the Planner) in wall-clock seconds.
  double decision_s = 0;
  /// Names and values of choices that the heuristic made in planning, for reports (Plan::details);
  /// may be empty.
  std::vector<std::pair<std::string, std::string>> details;
};

/// Result of Engine::run(): the complete trace of a run and the facts about its plan. Owns its
/// data.
struct Run : PlanSummary {
  /// Transfers between master and workers with their dates in simulated seconds, in the order in
  /// which the master decided them.
  Trace trace;
};

/// Function that makes the plan to run, i.e. the object that decides the transfers (not null),
/// called once per run. Engine::run() and stream() call it in a child process, so that its changes
/// to memory are lost, and rethrow its NotApplicable and MachineError, any other exception as
/// SimulationError (std::bad_alloc as MachineError). stream_here() and measure() call it in this
/// process and let its exceptions pass. What the plan refers to must live until the run has ended.
using Planner = std::function<Plan()>;

/// Function that receives the dated transfers of a run one by one, in the order in which the master
/// decided them, in the calling process. The reference is valid during the call. An exception that
/// it throws stops the run and passes to the caller. The functions of Engine do not take an empty
/// one (not checked: std::bad_function_call at the first transfer).
using TransferConsumer = std::function<void(const TracedTransfer&)>;

/// Interface of the engines, which plan and run a schedule on a platform and date its transfers in
/// simulated seconds. Engines have no state but their limits on wall-clock time and memory, so one
/// object may run any number of schedules. Functions that fork a child process must be called from
/// a process with one thread.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Plans and runs a schedule to its end in a forked child process and returns its trace; blocks
  /// until the run ends. Call it from a process with one thread. `planner` makes the plan and does
  /// not see the noise. Throws SimulationError if planning or the run fails or crashes, the engine
  /// does not support the port, or the noise is not modelled (see draw_noise()); MachineError if a
  /// limit of the engine is exceeded or the child is killed or cannot be created; NotApplicable if
  /// the planner does. Does not check that the schedule is complete and obeys the model (see
  /// find_violation()).
  virtual Run run(const Platform& platform, const Problem& problem, const Planner& planner,
                  const Noise& noise) const = 0;
  /// Plans (by `planner`) and runs a schedule without noise in a forked child process and returns
  /// its trace, the dated transfers, unchecked (see find_violation()); blocks until the run ends.
  /// Call it from a process with one thread. Throws SimulationError if planning or the run fails or
  /// crashes or the engine does not support the port, MachineError if a limit of the engine is
  /// exceeded or the child is killed or cannot be created, and NotApplicable if the planner does.
  Run run(const Platform& platform, const Problem& problem, const Planner& planner) const {
    return run(platform, problem, planner, Noise{});
  }

  /// Plans and runs a schedule to its end in a forked child process, passes each dated transfer to
  /// `consumer` in this process, in the order of decisions, and returns the report on the planning;
  /// blocks until the run ends. Call it from a process with one thread. Throws SimulationError if
  /// planning or the run fails or crashes or the port or the noise is not supported, MachineError
  /// if a limit of the engine is exceeded or the child is killed or cannot be created,
  /// NotApplicable if the planner does, and what `consumer` throws. `consumer`, which must not be
  /// null, may have received a part of the transfers by then. The default implementation calls
  /// run(), which stores the trace.
  virtual PlanSummary stream(const Platform& platform, const Problem& problem,
                             const Planner& planner, const Noise& noise,
                             const TransferConsumer& consumer) const;

  /// Plans and runs a schedule to its end in this process, without a child, and passes each dated
  /// transfer to `consumer`, in the order of decisions. Returns the report on the planning;
  /// nullopt, without planning, if the engine does not support this (as this default). Throws
  /// SimulationError if the run fails or the port or the noise is not supported, MachineError
  /// beyond the memory limit (max_transfers()) or the time limit, which is checked only when a
  /// dated transfer is passed on, and what the planner or `consumer` throws. A crash or an endless
  /// loop of the planner is one of this process.
  virtual std::optional<PlanSummary> stream_here(const Platform& /*platform*/,
                                                 const Problem& /*problem*/,
                                                 const Planner& /*planner*/, const Noise& /*noise*/,
                                                 const TransferConsumer& /*consumer*/) const {
    return std::nullopt;
  }

  /// Plans and runs a schedule in this process, without a child, and only adds its metrics
  /// (makespan, blocks moved, busy times) to `meter`, which must be newly created for the workers
  /// of `platform`. Returns the report on the planning; nullopt, without planning, if the engine
  /// does not support this (as this default). Throws MachineError beyond the time limit, which is
  /// checked every 65536 messages but not during planning, and beyond the memory limit
  /// (max_transfers()), which applies on multi-port masters and, unless Plan::adapts is true, under
  /// noise. Throws SimulationError if the run fails, the port or the noise is not supported, or the
  /// run is incomplete: it must do as many block updates as the product has (or more if workers
  /// stop) and return all blocks of C (with partial sums, all but at most as many as there are
  /// partial sums). Exceptions of the planner pass. After an exception `meter` is incomplete. A
  /// crash or an endless loop of the planner is one of this process.
  virtual std::optional<PlanSummary> measure(const Platform& /*platform*/,
                                             const Problem& /*problem*/, const Planner& /*planner*/,
                                             const Noise& /*noise*/,
                                             MetricsAccumulator& /*meter*/) const {
    return std::nullopt;
  }
};

/// A transfer reported by a simulation in a child process: the content of one frame (message
/// through a pipe) that a SimulationBody writes. Sent to the parent as raw bytes, so that it must
/// have no pointers.
struct SimulatedTransfer {
  /// Position of the transfer in the order of the master's decisions, from 0.
  std::size_t index = 0;
  /// The transfer with its dates and those of the update that it allows, in simulated seconds.
  TracedTransfer traced;
};

/// Function that runs a plan in a child process and writes each transfer to `out` once, in any
/// order, as one frame (message to the parent): the bytes of a SimulatedTransfer. Indices count
/// from 0 without gaps. Exceptions of the function are rethrown in the parent: NotApplicable and
/// MachineError as such, std::bad_alloc as MachineError, any other as SimulationError. If it ends
/// the process instead of returning, it must first write an empty frame, which marks the end of the
/// run, and flush `out`.
using SimulationBody = std::function<void(Plan& plan, FrameWriter& out)>;

/// Returns the largest number of transfers of a run for which limits.memory_bytes (at least 0, not
/// checked) suffices, counting 64 bytes per transfer, or 240 where transfers are stored before they
/// have dates: under noise, where their order is planned first, and on multi-port masters, where
/// many may be decided at once. SIZE_MAX if the limit is infinite.
std::size_t max_transfers(const SimulationLimits& limits, const Noise& noise, const Port& port);
/// Returns, and does not throw, the error (FailureCause::memory) that a run has more than `limit`
/// transfers and would not fit in memory.
MachineError too_many_transfers(std::size_t limit);

/// Calls `planner`, which makes a plan, then `simulate`, which runs it, in a forked child process,
/// and passes the transfers that `simulate` writes to `consumer`, in this process and in the order
/// of their indices; returns the report on the planning when the child has ended. Call it from a
/// process with one thread. `time_limit_s` is in wall-clock seconds for both together; 0 or less:
/// no limit. Rethrows what the child throws: NotApplicable and MachineError as such, std::bad_alloc
/// as MachineError, any other exception as SimulationError. Also throws SimulationError if the
/// child crashes or writes anything else, or transfers are missing; MachineError at the time limit
/// or if the child is killed or cannot be created; and what `consumer` throws, which ends the
/// child.
PlanSummary run_isolated(const Planner& planner, const SimulationBody& simulate,
                         double time_limit_s, const TransferConsumer& consumer);

/// Calls `stream` once with a TransferConsumer, to which it must pass the dated transfers of a run
/// in order, and returns these, with the PlanSummary that `stream` returns, as a Run. The consumer,
/// valid during the call, throws MachineError if the trace exceeds limits.memory_bytes, counting
/// 320 bytes per transfer. Exceptions pass to the caller.
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

/// Engine that dates transfers by the recurrence of the model (each date is computed from those of
/// earlier transfers, sim/star/recurrence.hpp) or, on a multi-port master, by ManyPortClock,
/// without a simulator and much faster than SimgridEngine. Gives the same transfers in the same
/// order as that engine, with dates equal within a relative 1e-9, except that a dispatcher of a
/// multi-port master may see two events at the same date in another order and then decide
/// otherwise. Supports all kinds of port, measure() and stream_here(); noise only where it is
/// defined for the kind of port (port_needed()) and without Variation::measured, otherwise
/// SimulationError is thrown.
class AnalyticEngine final : public Engine {
 public:
  /// Creates an engine with limits on the wall-clock time of each run, planning included, and on
  /// the memory for its transfers; none by default. A run that exceeds one throws MachineError;
  /// stream_here() and measure() check the time only now and then.
  explicit AnalyticEngine(SimulationLimits limits = {}) : limits_(limits) {}

  using Engine::run;
  Run run(const Platform& platform, const Problem& problem, const Planner& planner,
          const Noise& noise) const override;
  PlanSummary stream(const Platform& platform, const Problem& problem, const Planner& planner,
                     const Noise& noise, const TransferConsumer& consumer) const override;
  std::optional<PlanSummary> stream_here(const Platform& platform, const Problem& problem,
                                         const Planner& planner, const Noise& noise,
                                         const TransferConsumer& consumer) const override;
  std::optional<PlanSummary> measure(const Platform& platform, const Problem& problem,
                                     const Planner& planner, const Noise& noise,
                                     MetricsAccumulator& meter) const override;

 private:
  void date_transfers(Plan& plan, const Platform& platform, const Problem& problem,
                      const Noise& noise,
                      const std::function<void(const SimulatedTransfer&)>& take) const;

  SimulationLimits limits_;
};

}  // namespace starport
