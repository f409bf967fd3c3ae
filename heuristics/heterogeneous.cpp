#include "heuristics/heterogeneous.hpp"

#include "heuristics/planning.hpp"
#include "sim/model/ties.hpp"

namespace starport {

Plan Heterogeneous::plan(const Platform& platform, const Problem& problem) const {
  StepOrder best;
  Selection winner;
  double best_s = kUnknown;
  for (const Selection& selection : selections_) {
    StepOrder order = select_steps(selection, platform, problem, layout());
    const auto dispatcher = run_order(order, platform, problem, layout());
    const double makespan = makespan_s(*dispatcher, platform, problem);
    if (clearly_less(makespan, best_s)) {
      best = std::move(order);
      winner = selection;
      best_s = makespan;
    }
  }
  return {.dispatcher = run_order(std::move(best), platform, problem, layout()),
          .details = {{"selection", winner.name()}}};
}

}  // namespace starport
