// OMMOML's plans, by two short scans for each step.
#include "heuristics/star/fast/large_platforms.hpp"
#include "heuristics/star/fast/tournament.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace starport::fast {
namespace {

/// The ends of all workers' next steps: max(T + a, ready) + d, T being the end of the last
/// communication, a the transfer time of a worker's next step, ready the end of its work and d the
/// computation time of a step. Which worker ends first is unpredictable, so that the least is found
/// by arithmetic, without branches.
class StepEnds {
 public:
  explicit StepEnds(std::size_t size) : terms_(size), ends_(size, kUnknown) {}

  std::size_t size() const { return ends_.size(); }
  void set(std::size_t i, double a_s, double ready_s, double d_s) {
    terms_[i] = {.a_s = a_s, .ready_s = ready_s, .d_s = d_s};
  }
  void withdraw(std::size_t i) { terms_[i].ready_s = kUnknown; }
  /// Returns the least end if the last communication ends at `now_s`; infinity if all are
  /// withdrawn.
  double least(double now_s) {
    double least_s = kUnknown;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const auto& [a_s, ready_s, d_s] = terms_[i];
      ends_[i] = std::max(now_s + a_s, ready_s) + d_s;
      least_s = std::min(least_s, ends_[i]);
    }
    return least_s;
  }
  /// Returns the first index from `from` on of an end that was at most `bound_s` in least().
  std::size_t first(std::size_t from, double bound_s) const {
    while (from < ends_.size() && ends_[from] > bound_s) ++from;
    return from;
  }

 private:
  struct Terms {
    double a_s = 0;
    double ready_s = kUnknown;
    double d_s = 0;
  };

  std::vector<Terms> terms_;
  std::vector<double> ends_;
};

/// Plans by the ends of all workers' next steps.
class MinMinByEnds {
 public:
  MinMinByEnds(const std::vector<StepCosts>& costs, const Problem& problem)
      : costs_(costs),
        clock_(costs),
        columns_left_(problem.s),
        steps_left_(costs.size(), 0),
        finishes_(costs.size()) {
    for (std::size_t i = 0; i < costs.size(); ++i) update(i);
  }

  StepOrder plan() {
    StepOrder order;
    for (double least_s; (least_s = finishes_.least(clock_.communication_end_s)) != kUnknown;) {
      const std::size_t i = choose(least_s);
      if (steps_left_[i] == 0) start_panel(i);
      --steps_left_[i];
      clock_.plan_step(i);
      update(i);
      order.push_back(costs_[i].worker);
    }
    return order;
  }

 private:
  bool is_candidate(std::size_t i) const { return steps_left_[i] > 0 || columns_left_ > 0; }

  void update(std::size_t i) {
    const auto& worker = clock_.workers[i];
    if (is_candidate(i)) {
      finishes_.set(i, worker.communication_s, worker.ready_s, worker.computation_s);
    } else {
      finishes_.withdraw(i);
    }
  }

  void start_panel(std::size_t i) {
    steps_left_[i] = costs_[i].panel_steps;
    columns_left_ -= costs_[i].mu;
    if (columns_left_ > 0 || columns_left_ + costs_[i].mu <= 0) return;
    for (std::size_t j = 0; j < costs_.size(); ++j) {  // once, when the last columns are taken
      if (!is_candidate(j)) finishes_.withdraw(j);
    }
  }

  std::size_t choose(double least_s) const {
    return scanned_least(
        least_s, finishes_.size(),
        [this](std::size_t from, double bound_s) { return finishes_.first(from, bound_s); },
        [this](std::size_t i) {
          return clock_.step_end_s(clock_.workers[i]) + clock_.workers[i].computation_s;
        });
  }

  const std::vector<StepCosts>& costs_;
  PlanningClock clock_;
  std::int64_t columns_left_;  ///< columns not planned; below 0 if the last panel is narrower
  std::vector<std::int64_t> steps_left_;  ///< in the current panel of each worker
  StepEnds finishes_;
};

}  // namespace

StepOrder min_min_by_ends(const std::vector<StepCosts>& costs, const Problem& problem) {
  return MinMinByEnds(costs, problem).plan();
}

Plan plan_min_min(const MinMinParameters& parameters, const Platform& platform,
                  const Problem& problem) {
  const auto costs = compute_step_costs(platform, problem, kOptimizedOverlapped);
  StepOrder order = parameters.counts_c ? min_min_order(costs, problem, parameters)
                                        : min_min_by_ends(costs, problem);
  return {.dispatcher =
              make_order_dispatcher(std::move(order), platform, problem, kOptimizedOverlapped)};
}

}  // namespace starport::fast
