#include "heuristics/heterogeneous.hpp"

#include "heuristics/planning.hpp"
#include "sim/model/ties.hpp"

#include <algorithm>
#include <span>

namespace starport {

Plan Heterogeneous::plan(const Platform& platform, const Problem& problem) const {
  StepOrder best;
  Selection winner;
  double best_s = kUnknown;
  for (auto first = selections_.begin(); first != selections_.end();) {
    const auto last = std::find_if(first, selections_.end(), [&](const Selection& selection) {
      return !selection.alike_but_for_c(*first);
    });
    for (StepOrder& order : select_steps(std::span(first, last), platform, problem, layout())) {
      const double makespan = order_makespan_s(order, platform, problem, layout());
      if (clearly_less(makespan, best_s)) {
        best.swap(order);
        winner = *first;
        best_s = makespan;
      }
      ++first;
    }
  }
  return {.dispatcher = run_order(std::move(best), platform, problem, layout()),
          .details = {{"selection", winner.name()}}};
}

}  // namespace starport
