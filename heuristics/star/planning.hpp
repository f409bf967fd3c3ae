// Orders of steps planned before execution, for OMMOML and Het: the cost of steps, the clocks by
// which they are planned, and dispatchers that run them (PPoPP'08, section 5, "Incremental resource
// selection", in two phases).
#pragma once

#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace starport {

/// Costs of the steps of one worker. A step is one SendAB of a full mu x mu chunk, which moves 2 mu
/// blocks and allows mu^2 block updates.
struct StepCosts {
  std::int32_t worker = 0;       ///< index in the platform
  std::int64_t mu = 0;           ///< side of the worker's chunks
  std::int64_t chunk_steps = 0;  ///< steps per chunk: t
  std::int64_t panel_steps = 0;  ///< steps per panel of mu columns: t ceil(r / mu)
  double updates = 0;            ///< block updates of a step: mu^2
  double ab_s = 0;               ///< transfer time of a step: 2 mu c
  double c_s = 0;                ///< transfer time of a chunk of C: mu^2 c
  double computation_s = 0;      ///< computation time of a step: mu^2 w
  double column_s = 0;           ///< time to send, compute and return a column: r (t w + 2 c)
};
/// Returns the costs for each worker that has memory for a chunk of `layout`, by worker index.
std::vector<StepCosts> compute_step_costs(const Platform& platform, const Problem& problem,
                                          const MemoryLayout& layout);

/// A worker by the papers' dates: it receives a step no earlier than the end of its previous
/// update.
struct CoarsePlannedWorker {
  CoarsePlannedWorker() = default;
  /// `counts_c`: the first step also moves the chunk of C.
  CoarsePlannedWorker(const StepCosts& cost, bool counts_c)
      : updates(cost.updates),
        communication_s(cost.ab_s + (counts_c ? cost.c_s : 0)),
        later_s(cost.ab_s),
        computation_s(cost.computation_s) {}

  /// Returns end_i, when its next step would be received if the port were free from `from_s` on.
  double step_end_s(double from_s) const { return std::max(from_s + communication_s, ready_s); }
  /// Returns when a second step would be received, right after a first received at `end_s`.
  double second_step_end_s(double end_s) const { return end_s + std::max(later_s, computation_s); }
  /// Plans a step that is received at `end_s`.
  void plan_step(double end_s) {
    ready_s = end_s + computation_s;
    communication_s = later_s;
  }
  /// Subtracts `origin_s` from all dates.
  void rebase(double origin_s) { ready_s -= origin_s; }

  double updates = 0;          ///< block updates of a step: mu_i^2
  double communication_s = 0;  ///< transfer time of its next step: 2 mu_i c_i, plus C if counted
  double later_s = 0;          ///< transfer time of the steps after it: 2 mu_i c_i
  double computation_s = 0;    ///< computation time of a step: mu_i^2 w_i
  double ready_s = 0;          ///< ready_i, the end of all work planned on it
};

/// A worker by the dates of execution: a step is received once the last update but one is complete,
/// whose buffers it takes, and computed once the last update is. If C counts, a chunk starts with
/// the return of the previous one, once that is computed, and SendC.
struct ExactPlannedWorker {
  /// `counts_c`: SendC and RecvC take their time; otherwise only steps do.
  ExactPlannedWorker(const StepCosts& cost, bool counts_c)
      : updates(cost.updates),
        ab_s(cost.ab_s),
        c_s(counts_c ? cost.c_s : 0),
        computation_s(cost.computation_s),
        chunk_steps(cost.chunk_steps) {}

  /// Returns when its next step would be received if the port were free from `from_s` on.
  double step_end_s(double from_s) const {
    if (steps == 0) return from_s + c_s + ab_s;
    if (c_s > 0 && steps % chunk_steps == 0) return std::max(from_s, ready_s) + 2 * c_s + ab_s;
    return std::max(from_s, buffers_s) + ab_s;
  }
  /// Returns when a second step would be received, right after a first received at `end_s`.
  double second_step_end_s(double end_s) const {
    ExactPlannedWorker after = *this;
    after.plan_step(end_s);
    return after.step_end_s(end_s);
  }
  /// Plans a step that is received at `end_s`.
  void plan_step(double end_s) {
    buffers_s = ready_s;
    ready_s = std::max(end_s, ready_s) + computation_s;
    ++steps;
  }
  /// Subtracts `origin_s` from all dates.
  void rebase(double origin_s) {
    ready_s -= origin_s;
    buffers_s -= origin_s;
  }

  double updates;        ///< block updates of a step
  double ab_s;           ///< transfer time of a step
  double c_s;            ///< transfer time of a chunk of C; 0 if C does not count
  double computation_s;  ///< computation time of a step
  std::int64_t chunk_steps;
  std::int64_t steps = 0;  ///< steps planned so far
  double ready_s = 0;      ///< end of all work planned on it
  double buffers_s = 0;    ///< date at which the buffers of its next step are free
};

/// The dates of a plan: those of its workers, and the end of its last communication.
template <class PlannedWorker>
struct StepClock {
  explicit StepClock(const std::vector<StepCosts>& costs, bool counts_c = false) {
    for (const StepCosts& cost : costs) workers.emplace_back(cost, counts_c);
  }

  /// Returns when the next step of `worker`, one of `workers`, would be received.
  double step_end_s(const PlannedWorker& worker) const {
    return worker.step_end_s(communication_end_s);
  }
  /// Plans the next step of worker `i`.
  void plan_step(std::size_t i) {
    communication_end_s = step_end_s(workers[i]);
    workers[i].plan_step(communication_end_s);
  }
  /// Subtracts `origin_s` from all dates.
  void rebase(double origin_s) {
    for (PlannedWorker& worker : workers) worker.rebase(origin_s);
    communication_end_s -= origin_s;
  }

  std::vector<PlannedWorker> workers;
  double communication_end_s = 0;  ///< T, the end of the last planned communication
};
/// The clock by which the papers plan.
using PlanningClock = StepClock<CoarsePlannedWorker>;
/// A clock with the dates of execution.
using ExactClock = StepClock<ExactPlannedWorker>;

/// An order of steps: for each step, the index of its worker in the platform.
using StepOrder = std::vector<std::int32_t>;

/// Makes a dispatcher that runs an order of steps, with the chunks of `layout`. Each step is the
/// worker's next SendAB; RecvC and SendC are inserted when its chunk is complete or it has none. A
/// step for which no column is left is skipped. The chunks still held at the end are received by
/// the end of their last update. The platform and the problem must outlive the dispatcher.
std::unique_ptr<Dispatcher> make_order_dispatcher(StepOrder order, const Platform& platform,
                                                  const Problem& problem,
                                                  const MemoryLayout& layout);

/// Returns the exact makespan of such a run, by the recurrence of the model. A master with many
/// ports, for which there is no recurrence, counts as one with two.
double order_makespan_s(const StepOrder& order, const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout);

}  // namespace starport
