// Planning an order of steps before execution, and running it (PPoPP'08 section 5, "Incremental
// resource selection", in two phases). Used by OMMOML and Het.
#pragma once

#include "heuristics/star/fast/number.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace starport {

/// What steps cost on a worker that has memory for a chunk. A step is one SendAB of a full mu x mu
/// chunk: 2 mu blocks, mu^2 updates.
struct StepCosts {
  std::int32_t worker = 0;
  std::int64_t mu = 0;
  std::int64_t chunk_steps = 0;  ///< t
  std::int64_t panel_steps = 0;  ///< t ceil(r / mu), of a panel of mu columns
  double updates = 0;            ///< mu^2
  double ab_s = 0;               ///< 2 mu c
  double c_s = 0;                ///< mu^2 c: its chunk of C, which some variants of Het count
  double computation_s = 0;      ///< mu^2 w
  double column_s = 0;           ///< r (t w + 2 c): a column of C, sent, computed and returned
};
std::vector<StepCosts> step_costs(const Platform& platform, const Problem& problem,
                                  const MemoryLayout& layout);

/// The papers' coarse clock: a step is received no earlier than the end of the worker's previous
/// update. Number is a double, or several where several plans are made at once.
template <class Number = double>
struct PlanningClock {
  struct Worker {
    Number updates{0};          ///< of a step: mu_i^2
    Number communication_s{0};  ///< of its next step: 2 mu_i c_i, and of C where that counts
    Number later_s{0};          ///< of those after it: 2 mu_i c_i
    Number computation_s{0};    ///< mu_i^2 w_i
    Number ready_s{0};          ///< ready_i, the end of all work planned on it

    /// A step whose communication ends then.
    void plan(const Number& end_s) {
      ready_s = end_s + computation_s;
      communication_s = later_s;
    }
  };

  /// Of p workers, in lanes that begin later.
  explicit PlanningClock(std::size_t p) : workers(p) {}
  explicit PlanningClock(const std::vector<StepCosts>& costs, bool count_c = false)
      : PlanningClock(costs.size()) {
    begin(0, costs, count_c);
  }

  /// Begins a plan in a lane. `count_c` where the first step of a worker also moves its chunk of C.
  void begin(std::size_t lane, const std::vector<StepCosts>& costs, bool count_c) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      Worker& worker = workers[i];
      const StepCosts& cost = costs[i];
      lane_of(worker.updates, lane) = cost.updates;
      lane_of(worker.communication_s, lane) = cost.ab_s + (count_c ? cost.c_s : 0);
      lane_of(worker.later_s, lane) = cost.ab_s;
      lane_of(worker.computation_s, lane) = cost.computation_s;
      lane_of(worker.ready_s, lane) = 0;
    }
    lane_of(communication_end_s, lane) = 0;
  }

  /// Dates count from that one on.
  void begin_at(const Number& origin_s) {
    for (Worker& worker : workers) worker.ready_s = worker.ready_s - origin_s;
    communication_end_s = communication_end_s - origin_s;
  }
  /// end_i: when the next step of a worker would be received.
  Number end_s(const Worker& worker) const { return end_s(worker, communication_end_s); }
  /// The same where the port is free from a date on.
  static Number end_s(const Worker& worker, const Number& from_s) {
    return max(from_s + worker.communication_s, worker.ready_s);
  }
  /// When a second step would be received, after one that ends then.
  static Number second_end_s(const Worker& worker, const Number& end_s) {
    return end_s + max(worker.later_s, worker.computation_s);
  }
  /// Plans one step on a worker.
  void choose(std::size_t i) {
    communication_end_s = end_s(workers[i]);
    workers[i].plan(communication_end_s);
  }
  /// The same of each number of a Number, on a worker of its own; the updates of the steps.
  Number choose_each(const Number& chosen) {
    Number planned_s = communication_end_s;
    Number updates = 0;
    for_chosen(chosen, workers.size(), [&](std::size_t i, const auto& here) {
      Worker& worker = workers[i];
      const Number end = end_s(worker);
      planned_s = where(here, end, planned_s);
      updates = where(here, worker.updates, updates);
      worker.ready_s = where(here, end + worker.computation_s, worker.ready_s);
      worker.communication_s = where(here, worker.later_s, worker.communication_s);
    });
    communication_end_s = planned_s;
    return updates;
  }

  std::vector<Worker> workers;
  Number communication_end_s{0};  ///< T, the end of the last planned communication
};

/// The clock of execution: a step is received once the one before the last is computed, whose
/// buffers it takes, and computed once the last one is. Where C counts, a chunk begins with the
/// return of the one before it, once that is computed, and C.
struct ExactClock {
  struct Worker {
    double updates;
    double ab_s;
    double c_s;  ///< 0 where C does not count
    double computation_s;
    std::int64_t chunk_steps;
    std::int64_t steps = 0;  ///< planned so far
    double ready_s = 0;      ///< the end of all work planned on it
    double buffers_s = 0;    ///< when the buffers of its next step are free

    /// When its next step is received, with the port free from a date on.
    double next_end_s(double from_s) const {
      if (steps == 0) return from_s + c_s + ab_s;
      if (c_s > 0 && steps % chunk_steps == 0) return std::max(from_s, ready_s) + 2 * c_s + ab_s;
      return std::max(from_s, buffers_s) + ab_s;
    }
    void plan(double end_s) {
      buffers_s = ready_s;
      ready_s = std::max(end_s, ready_s) + computation_s;
      ++steps;
    }
  };

  explicit ExactClock(std::size_t p) : workers(p) {}
  explicit ExactClock(const std::vector<StepCosts>& costs, bool count_c = false)
      : ExactClock(costs.size()) {
    begin(0, costs, count_c);
  }

  void begin(std::size_t, const std::vector<StepCosts>& costs, bool count_c) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const StepCosts& cost = costs[i];
      workers[i] = {.updates = cost.updates,
                    .ab_s = cost.ab_s,
                    .c_s = count_c ? cost.c_s : 0,
                    .computation_s = cost.computation_s,
                    .chunk_steps = cost.chunk_steps};
    }
    communication_end_s = 0;
  }

  void begin_at(double origin_s) {
    for (Worker& worker : workers) {
      worker.ready_s -= origin_s;
      worker.buffers_s -= origin_s;
    }
    communication_end_s -= origin_s;
  }
  double end_s(const Worker& worker) const { return end_s(worker, communication_end_s); }
  static double end_s(const Worker& worker, double from_s) { return worker.next_end_s(from_s); }
  static double second_end_s(const Worker& worker, double end_s) {
    Worker after = worker;
    after.plan(end_s);
    return after.next_end_s(end_s);
  }
  double choose_each(double chosen) {
    Worker& worker = workers[static_cast<std::size_t>(chosen)];
    communication_end_s = end_s(worker);
    worker.plan(communication_end_s);
    return worker.updates;
  }

  std::vector<Worker> workers;
  double communication_end_s = 0;
};

/// An order of steps: the worker of each.
using StepOrder = std::vector<std::int32_t>;

/// Each step is the worker's next SendAB; RecvC and SendC come when its chunk is over or it has
/// none, a step that finds no column left is skipped, and the chunks still out at the end are
/// received by end of last update.
std::unique_ptr<Dispatcher> run_order(StepOrder order, const Platform& platform,
                                      const Problem& problem, const MemoryLayout& layout);

/// An order that is to be run. What it points to outlives it.
struct Ordered {
  const StepOrder* order;
  const Platform* platform;
  const Problem* problem;
};
/// The exact makespans of such runs, by the recurrence of the model. Many ports, for which there is
/// none, count as two.
std::vector<double> order_makespans_s(std::span<const Ordered> runs, const MemoryLayout& layout);

}  // namespace starport
