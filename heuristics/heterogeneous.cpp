#include "heuristics/heterogeneous.hpp"

#include "heuristics/planning.hpp"
#include "sim/model/ties.hpp"

#include <algorithm>

namespace starport {

std::string Selection::name() const {
  return std::string(local ? "local" : "global") + (look_ahead ? "/look-ahead" : "/next") +
         (count_c ? "/C counted" : "/C ignored");
}

namespace {

/// The value of choosing a worker for the next step; the largest wins.
class Valuation {
 public:
  Valuation(Selection selection, const PlanningClock& clock, double planned_work)
      : selection_(selection), clock_(clock), planned_work_(planned_work) {
    if (selection_.look_ahead) group();
  }

  double value(std::size_t i) const {
    const double end_i = std::max(
        clock_.communication_end_s() + communication_s(i, clock_.fresh(i)), clock_.ready_s(i));
    if (!selection_.look_ahead) return ratio(clock_.work(i), end_i);

    // The best pair: i, then i again or any other j.
    const double finish_i = end_i + clock_.computation_s(i);
    double best = pair(i, i, std::max(end_i + communication_s(i, false), finish_i));
    for (const Alike& alike : groups_) {
      const std::size_t j = alike.first == i ? alike.second : alike.first;
      if (j == kNobody) continue;
      const double end_ij =
          std::max(end_i + communication_s(j, clock_.fresh(j)), clock_.ready_s(j));
      best = std::max(best, pair(i, j, end_ij));
    }
    return best;
  }

 private:
  static constexpr std::size_t kNobody = SIZE_MAX;

  /// Of workers alike, chosen before or not, the one that is ready first is the best second choice:
  /// it, and the next one for when it is the first choice.
  struct Alike {
    std::size_t first = kNobody;
    std::size_t second = kNobody;
  };

  void group() {
    for (std::size_t j = 0; j < clock_.workers(); ++j) {
      if (!clock_.usable(j)) continue;
      const std::size_t number = 2 * clock_.kind(j) + (clock_.fresh(j) ? 1 : 0);
      if (number >= groups_.size()) groups_.resize(number + 1);
      Alike& alike = groups_[number];
      const auto before = [&](std::size_t other) {
        return other == kNobody || clock_.ready_s(j) < clock_.ready_s(other);
      };
      if (before(alike.first)) {
        alike.second = alike.first;
        alike.first = j;
      } else if (before(alike.second)) {
        alike.second = j;
      }
    }
  }

  double communication_s(std::size_t i, bool first) const {
    return clock_.communication_s(i, selection_.count_c && first);
  }
  double pair(std::size_t i, std::size_t j, double end_ij) const {
    return ratio(clock_.work(i) + clock_.work(j), end_ij);
  }

  /// Global: all the work planned over the end of the last communication. Local: the work of
  /// these steps over the time that they add to the port.
  double ratio(double work, double end_s) const {
    return selection_.local ? work / (end_s - clock_.communication_end_s())
                            : (planned_work_ + work) / end_s;
  }

  Selection selection_;
  const PlanningClock& clock_;
  double planned_work_;
  std::vector<Alike> groups_;
};

StepOrder select(Selection selection, const Platform& platform, const Problem& problem,
                 const MemoryLayout& layout) {
  PlanningClock clock(platform, problem, layout);
  std::vector<std::int64_t> steps(clock.workers(), 0);  // chosen so far
  std::int64_t completed_columns = 0;
  double planned_work = 0;
  StepOrder order;

  while (completed_columns < problem.s) {
    const Valuation valuation(selection, clock, planned_work);
    std::size_t chosen = clock.workers();
    double chosen_value = 0;
    for (std::size_t i = 0; i < clock.workers(); ++i) {
      if (!clock.usable(i)) continue;
      const double value = valuation.value(i);
      if (clearly_less(chosen_value, value)) {
        chosen = i;
        chosen_value = value;
      }
    }
    clock.choose(chosen, selection.count_c && clock.fresh(chosen));
    planned_work += clock.work(chosen);
    order.push_back(static_cast<std::int32_t>(chosen));
    if (++steps[chosen] % clock.panel_steps(chosen) == 0) {
      completed_columns += clock.panel_columns(chosen);
    }
  }

  // The steps of panels not completed are dropped.
  std::vector<std::int64_t> kept(clock.workers());
  for (std::size_t i = 0; i < clock.workers(); ++i) {
    if (clock.usable(i)) kept[i] = steps[i] - steps[i] % clock.panel_steps(i);
  }
  std::erase_if(order, [&](std::int32_t i) { return kept[static_cast<std::size_t>(i)]-- <= 0; });
  return order;
}

}  // namespace

Plan Heterogeneous::plan(const Platform& platform, const Problem& problem) const {
  StepOrder best;
  Selection winner;
  double best_s = kUnknown;
  for (const Selection& selection : selections_) {
    StepOrder order = select(selection, platform, problem, layout());
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
