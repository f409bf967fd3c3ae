#include "heuristics/star/min_min.hpp"

#include "heuristics/star/fast/for_many.hpp"
#include "sim/platform/ties.hpp"

namespace starport {

StepOrder min_min_order(const std::vector<StepCosts>& costs, const Problem& problem) {
  PlanningClock clock(costs);
  std::vector<std::int64_t> steps_left(costs.size(), 0);  // in the panel of each worker
  std::int64_t planned_columns = 0;
  StepOrder order;
  for (;;) {
    std::size_t first = costs.size();
    double first_s = kUnknown;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (steps_left[i] == 0 && planned_columns >= problem.s) continue;
      const auto& worker = clock.workers[i];
      const double finish_s = clock.end_s(worker) + worker.computation_s;
      if (!clearly_less(finish_s, first_s)) continue;
      first = i;
      first_s = finish_s;
    }
    if (first == costs.size()) return order;
    if (steps_left[first] == 0) {
      steps_left[first] = costs[first].panel_steps;
      planned_columns += costs[first].mu;
    }
    --steps_left[first];
    clock.choose(first);
    order.push_back(costs[first].worker);
  }
}

namespace {

/// From so many workers on, their ends are kept in order (experiments/benchmark/README.md).
constexpr std::size_t kWorkersToIndex = 64;

}  // namespace

Plan plan_min_min(const Platform& platform, const Problem& problem) {
  const auto costs = step_costs(platform, problem, kOptimizedOverlapped);
  const auto plan_order = costs.size() < kWorkersToIndex ? min_min_order : fast::min_min_by_ends;
  return {.dispatcher =
              run_order(plan_order(costs, problem), platform, problem, kOptimizedOverlapped)};
}

}  // namespace starport
