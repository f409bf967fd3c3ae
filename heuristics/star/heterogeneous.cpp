#include "heuristics/star/heterogeneous.hpp"

#include "heuristics/star/planning.hpp"
#include "sim/platform/ties.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace starport {
namespace {

/// In the order of kSelections, which decides ties.
bool before(const Selection& one, const Selection& other) {
  return std::find(kSelections.begin(), kSelections.end(), one) <
         std::find(kSelections.begin(), kSelections.end(), other);
}

}  // namespace

Plan Heterogeneous::plan(const Platform& platform, const Problem& problem) const {
  StepOrder best;
  Selection winner;
  double best_s = kUnknown;
  // Those that count C come last: where moving C costs more than a step computes, they keep to a
  // worker, and are given up.
  std::vector<Selection> selections = selections_;
  const auto counting =
      std::stable_partition(selections.begin(), selections.end(),
                            [](const Selection& selection) { return !selection.count_c; });
  for (const auto& group :
       {std::span(selections.begin(), counting), std::span(counting, selections.end())}) {
    auto selection = group.begin();
    for (StepOrder& order : select_steps(group, platform, problem, layout(), best_s)) {
      const Selection tried = *selection++;
      if (order.empty()) continue;
      const double makespan_s = order_makespan_s(order, platform, problem, layout());
      const bool less = clearly_less(makespan_s, best_s);
      if (!less && (clearly_less(best_s, makespan_s) || !before(tried, winner))) continue;
      best.swap(order);
      winner = tried;
      best_s = makespan_s;
    }
  }
  return {.dispatcher = run_order(std::move(best), platform, problem, layout()),
          .details = {{"selection", winner.name()}}};
}

}  // namespace starport
