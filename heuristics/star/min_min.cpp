#include "heuristics/star/min_min.hpp"

#include "heuristics/star/fast/for_many.hpp"
#include "sim/platform/ties.hpp"

#include <algorithm>

namespace starport {

namespace {

/// `end_s(i, steps_left)`: when worker i would have received its next step, with so many left in
/// its panel.
template <class End>
StepOrder min_min(PlanningClock<>& clock, const std::vector<StepCosts>& costs,
                  const Problem& problem, End end_s) {
  std::vector<std::int64_t> steps_left(costs.size(), 0);  // in the panel of each worker
  std::int64_t planned_columns = 0;
  StepOrder order;
  for (;;) {
    std::size_t first = costs.size();
    double first_s = kUnknown;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (steps_left[i] == 0 && planned_columns >= problem.s) continue;
      const double finish_s = end_s(i, steps_left[i]) + clock.workers[i].computation_s;
      if (!clearly_less(finish_s, first_s)) continue;
      first = i;
      first_s = finish_s;
    }
    if (first == costs.size()) return order;
    clock.communication_end_s = end_s(first, steps_left[first]);
    clock.workers[first].plan(clock.communication_end_s);
    if (steps_left[first] == 0) {
      steps_left[first] = costs[first].panel_steps;
      planned_columns += costs[first].mu;
    }
    --steps_left[first];
    order.push_back(costs[first].worker);
  }
}

}  // namespace

StepOrder min_min_order(const std::vector<StepCosts>& costs, const Problem& problem) {
  PlanningClock clock(costs);
  return min_min(clock, costs, problem,
                 [&](std::size_t i, std::int64_t) { return clock.end_s(clock.workers[i]); });
}

StepOrder min_min_order_with_c(const std::vector<StepCosts>& costs, const Problem& problem) {
  PlanningClock clock(costs);
  return min_min(clock, costs, problem, [&](std::size_t i, std::int64_t steps_left) {
    const auto& worker = clock.workers[i];
    if (steps_left % problem.t != 0) return clock.end_s(worker);
    return std::max(clock.communication_end_s, worker.ready_s) + costs[i].c_s +
           worker.communication_s;
  });
}

namespace {

/// From so many workers on, their ends are kept in order (experiments/benchmark/README.md).
constexpr std::size_t kWorkersToIndex = 64;

}  // namespace

Plan plan_min_min(const MinMinParameters& parameters, const Platform& platform,
                  const Problem& problem) {
  const auto costs = step_costs(platform, problem, kOptimizedOverlapped);
  const auto plan_order = parameters.count_c               ? min_min_order_with_c
                          : costs.size() < kWorkersToIndex ? min_min_order
                                                           : fast::min_min_by_ends;
  return {.dispatcher =
              run_order(plan_order(costs, problem), platform, problem, kOptimizedOverlapped)};
}

}  // namespace starport
