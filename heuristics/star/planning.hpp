// Planning an order of steps before execution, and running it (PPoPP'08 section 5, "Incremental
// resource selection", in two phases). Used by OMMOML and Het.
#pragma once

#include "heuristics/star/heuristic.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace starport {

/// The papers' coarse clock. One step is one SendAB of a full mu_i x mu_i chunk: 2 mu_i blocks,
/// mu_i^2 updates; it is received no earlier than the end of the worker's previous update.
class PlanningClock {
 public:
  /// With `count_c`, the first step of a worker also moves its chunk of C.
  PlanningClock(const Platform& platform, const Problem& problem, const MemoryLayout& layout,
                bool count_c);

  std::size_t workers() const { return workers_.size(); }
  bool usable(std::size_t i) const { return workers_[i].side > 0; }
  double side(std::size_t i) const { return static_cast<double>(workers_[i].side); }
  /// Updates of one step of worker i: mu_i^2.
  double work(std::size_t i) const { return side(i) * side(i); }
  /// Steps in a panel of worker i: t ceil(r / mu_i).
  std::int64_t panel_steps(std::size_t i) const { return workers_[i].panel_steps; }
  std::int64_t panel_columns(std::size_t i) const { return workers_[i].side; }
  /// Of a column of C, r t updates: r t w_i.
  double column_computation_s(std::size_t i) const { return workers_[i].column_computation_s; }
  std::int64_t largest_side() const { return largest_side_; }

  /// The end of the last planned communication (T), and of all work planned on i (ready_i):
  /// kUnknown when it is not usable.
  double communication_end_s() const { return communication_end_s_; }
  double ready_s(std::size_t i) const { return workers_[i].ready_s; }

  /// The time the port needs for the next step of worker i: 2 mu_i c_i, and mu_i^2 c_i more where
  /// it also moves a chunk of C.
  double communication_s(std::size_t i) const { return workers_[i].communication_s; }
  double computation_s(std::size_t i) const { return workers_[i].computation_s; }
  /// When the next step of worker i would be received.
  double end_s(std::size_t i) const {
    return std::max(communication_end_s_ + communication_s(i), ready_s(i));
  }
  /// From there to the end of another one right after it.
  double second_s(std::size_t i) const {
    return std::max(workers_[i].later_communication_s, computation_s(i));
  }

  /// Plans one step on worker i.
  void choose(std::size_t i) {
    Figures& worker = workers_[i];
    communication_end_s_ = end_s(i);
    worker.ready_s = communication_end_s_ + worker.computation_s;
    worker.communication_s = worker.later_communication_s;
  }

 private:
  struct Figures {
    std::int64_t side;
    std::int64_t panel_steps;
    double column_computation_s;
    double communication_s;
    double later_communication_s;
    double computation_s;
    double ready_s;
  };

  std::vector<Figures> workers_;
  std::int64_t largest_side_ = 0;
  double communication_end_s_ = 0;
};

/// An order of steps: the worker of each.
using StepOrder = std::vector<std::int32_t>;

/// An order of steps that is complete when the panels completed count `columns` columns; the steps
/// of panels not completed are left out in the end.
class PanelOrder {
 public:
  PanelOrder(const PlanningClock& clock, std::int64_t columns)
      : columns_left_(columns), steps_(clock.workers()) {}

  bool complete() const { return columns_left_ <= 0; }
  /// No run of the order ends sooner, whatever is added: a worker computes all its columns, but for
  /// what the last panels have too many.
  double least_makespan_s() const { return least_makespan_s_; }
  void add(std::size_t i, const PlanningClock& clock) {
    order_.push_back(static_cast<std::int32_t>(i));
    Steps& steps = steps_[i];
    if (steps.in_panel == 0) steps.in_panel = clock.panel_steps(i);
    ++steps.unfinished;
    if (--steps.in_panel > 0) return;
    steps.finished += std::exchange(steps.unfinished, 0);
    steps.columns += clock.panel_columns(i);
    columns_left_ -= clock.panel_columns(i);
    least_makespan_s_ =
        std::max(least_makespan_s_, static_cast<double>(steps.columns - clock.largest_side()) *
                                        clock.column_computation_s(i));
  }
  StepOrder take();

 private:
  struct Steps {
    std::int64_t finished = 0;    ///< of panels completed
    std::int64_t unfinished = 0;  ///< of the panel
    std::int64_t in_panel = 0;    ///< to come
    std::int64_t columns = 0;     ///< of panels completed
  };

  std::int64_t columns_left_;
  double least_makespan_s_ = 0;
  std::vector<Steps> steps_;  ///< of each worker
  StepOrder order_;
};

/// Each step is the worker's next SendAB; RecvC and SendC come when its chunk is over or it has
/// none, a step that finds no column left is skipped, and the chunks still out at the end are
/// received by end of last update.
std::unique_ptr<Dispatcher> run_order(StepOrder order, const Platform& platform,
                                      const Problem& problem, const MemoryLayout& layout);

/// The exact makespan of that run, by the recurrence of star.hpp. Many ports, for which there is
/// none, count as two.
double order_makespan_s(const StepOrder& order, const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout);

}  // namespace starport
