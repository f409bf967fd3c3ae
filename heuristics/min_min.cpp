#include "heuristics/min_min.hpp"

#include "heuristics/planning.hpp"
#include "sim/model/ties.hpp"

#include <algorithm>

namespace starport {

Plan MinMin::plan(const Platform& platform, const Problem& problem) const {
  PlanningClock clock(platform, problem, layout());
  std::vector<std::int64_t> steps_left(clock.workers(), 0);  // in the panel of each worker
  std::int64_t planned_columns = 0;
  StepOrder order;

  for (;;) {
    std::size_t chosen = clock.workers();
    double chosen_finish = kUnknown;
    for (std::size_t i = 0; i < clock.workers(); ++i) {
      const bool candidate = clock.usable(i) && (steps_left[i] > 0 || planned_columns < problem.s);
      if (!candidate) continue;
      // finish_i = max(T + 2 mu_i c_i, ready_i) + mu_i^2 w_i
      const double finish = std::max(clock.communication_end_s() + clock.communication_s(i, false),
                                     clock.ready_s(i)) +
                            clock.computation_s(i);
      if (clearly_less(finish, chosen_finish)) {
        chosen = i;
        chosen_finish = finish;
      }
    }
    if (chosen == clock.workers()) break;  // nobody is in a panel and no column is left

    if (steps_left[chosen] == 0) {
      planned_columns += clock.panel_columns(chosen);
      steps_left[chosen] = clock.panel_steps(chosen);
    }
    --steps_left[chosen];
    clock.choose(chosen, false);
    order.push_back(static_cast<std::int32_t>(chosen));
  }
  return {.dispatcher = run_order(std::move(order), platform, problem, layout()), .details = {}};
}

}  // namespace starport
