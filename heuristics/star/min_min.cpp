#include "heuristics/star/min_min.hpp"

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <optional>

namespace starport {
namespace {

class MinMin {
 public:
  MinMin(const std::vector<StepCosts>& costs, const Problem& problem,
         const MinMinParameters& parameters)
      : costs_(costs),
        counts_c_(parameters.counts_c),
        clock_(costs),
        chunk_steps_(problem.t),
        columns_left_(problem.s),
        panel_steps_left_(costs.size(), 0),
        chunk_steps_left_(costs.size(), 0) {}

  StepOrder plan() {
    StepOrder order;
    while (const auto i = choose()) {
      plan_step(*i);
      order.push_back(costs_[*i].worker);
    }
    return order;
  }

 private:
  bool is_candidate(std::size_t i) const { return panel_steps_left_[i] > 0 || columns_left_ > 0; }

  /// Returns when worker `i` would have received its next step.
  double step_end_s(std::size_t i) const {
    const CoarsePlannedWorker& worker = clock_.workers[i];
    if (!counts_c_ || chunk_steps_left_[i] > 0) return clock_.step_end_s(worker);
    return std::max(clock_.communication_end_s, worker.ready_s) + costs_[i].c_s +
           worker.communication_s;
  }

  /// Returns the worker of smallest finish_i, nullopt when no column is left.
  std::optional<std::size_t> choose() const {
    std::optional<std::size_t> first;
    double first_finish_s = kUnknown;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      if (!is_candidate(i)) continue;
      const double finish_s = step_end_s(i) + clock_.workers[i].computation_s;
      if (!clearly_less(finish_s, first_finish_s)) continue;
      first = i;
      first_finish_s = finish_s;
    }
    return first;
  }

  void plan_step(std::size_t i) {
    clock_.communication_end_s = step_end_s(i);
    clock_.workers[i].plan_step(clock_.communication_end_s);
    if (panel_steps_left_[i] == 0) {
      panel_steps_left_[i] = costs_[i].panel_steps;
      columns_left_ -= costs_[i].mu;
    }
    --panel_steps_left_[i];
    if (chunk_steps_left_[i] == 0) chunk_steps_left_[i] = chunk_steps_;
    --chunk_steps_left_[i];
  }

  const std::vector<StepCosts>& costs_;
  bool counts_c_;
  PlanningClock clock_;
  std::int64_t chunk_steps_;
  std::int64_t columns_left_;  ///< columns not planned; below 0 if the last panel is narrower
  std::vector<std::int64_t> panel_steps_left_;  ///< in the current panel of each worker
  std::vector<std::int64_t> chunk_steps_left_;  ///< in the current chunk of each worker
};

}  // namespace

StepOrder min_min_order(const std::vector<StepCosts>& costs, const Problem& problem,
                        const MinMinParameters& parameters) {
  return MinMin(costs, problem, parameters).plan();
}

}  // namespace starport
