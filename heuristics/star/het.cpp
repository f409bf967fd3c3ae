#include "heuristics/star/het.hpp"

#include "heuristics/star/fast/het_by_groups.hpp"
#include "sim/platform/ties.hpp"

namespace starport {

std::string Variant::name() const {
  return std::string(local ? "local" : "global") + (look_ahead ? "/look-ahead" : "/next") +
         (count_c ? "/C counted" : "/C ignored");
}

StepOrder PanelOrder::take(double limit_s) {
  if (least_makespan_s_ > limit_s) return {};
  std::erase_if(
      order_, [&](std::int32_t i) { return steps_[static_cast<std::size_t>(i)].completed-- <= 0; });
  for (std::int32_t& step : order_) step = (*costs_)[static_cast<std::size_t>(step)].worker;
  return std::move(order_);
}

namespace {

/// One variant or, where Number is several, so many of them that all look ahead or all do not.
template <class Number>
class IncrementalSelection {
 public:
  IncrementalSelection(std::span<const Variant> variants, const std::vector<StepCosts>& costs)
      : look_ahead_(variants[0].look_ahead),
        local_(of(variants, &Variant::local)),
        clock_(costs, of(variants, &Variant::count_c)) {}

  /// Plans the step of largest ratio; the number of its worker.
  Number choose() {
    // The time over which the ratio is taken, and the work achieved in it: all of the run, or what
    // the next communications add.
    since_s_ = local_ * clock_.communication_end_s;
    achieved_ = (Number(1) - local_) * work_;
    Number best = 0;
    Number best_ratio = 0;
    for (std::size_t i = 0; i < clock_.workers.size(); ++i) {
      const Number end_s = clock_.end_s(clock_.workers[i]);
      const Number ratio = look_ahead_ ? best_pair(clock_.workers[i], end_s)
                                       : ratio_of(clock_.workers[i].updates, end_s);
      const auto better = clearly_less(best_ratio, ratio);
      best_ratio = where(better, ratio, best_ratio);
      best = where(better, static_cast<double>(i), best);
    }
    work_ = work_ + clock_.choose_each(best);
    return best;
  }

 private:
  using Worker = typename PlanningClock<Number>::Worker;

  static Number of(std::span<const Variant> variants, bool Variant::*property) {
    if constexpr (kLanes<Number> == 1) {
      return variants[0].*property ? 1 : 0;
    } else {
      return {variants[0].*property ? 1.0 : 0.0, variants[1].*property ? 1.0 : 0.0};
    }
  }

  /// Total work achieved / completion time of the last communication.
  Number ratio_of(const Number& updates, const Number& end_s) const {
    return (achieved_ + updates) / (end_s - since_s_);
  }

  /// The largest ratio after a step on the first worker, which ends then, and one on any.
  Number best_pair(Worker& first, const Number& end_s) const {
    const Worker before = first;
    first.plan(end_s);
    Number best = 0;
    for (const Worker& second : clock_.workers) {
      const Number then_s = max(end_s + second.communication_s, second.ready_s);
      best = max(best, ratio_of(first.updates + second.updates, then_s));
    }
    first = before;
    return best;
  }

  bool look_ahead_;
  Number local_;
  PlanningClock<Number> clock_;
  Number work_{0};  ///< planned so far, in updates
  Number since_s_{0};
  Number achieved_{0};
};

template <class Number>
void select_workers(std::span<const Variant> variants, const std::vector<StepCosts>& costs,
                    double limit_s, PanelOrder* orders) {
  IncrementalSelection<Number> selection(variants, costs);
  for (bool open = true; open;) {
    const Number chosen = selection.choose();
    open = false;
    for (std::size_t n = 0; n < variants.size(); ++n) {
      if (!orders[n].open(limit_s)) continue;
      orders[n].add(static_cast<std::size_t>(lane(chosen, n)));
      open = open || orders[n].open(limit_s);
    }
  }
}

}  // namespace

std::vector<StepOrder> select_workers(std::span<const Variant> variants,
                                      const std::vector<StepCosts>& costs, const Problem& problem,
                                      double limit_s, bool at_once) {
  std::vector<PanelOrder> orders(variants.size(), PanelOrder(costs, problem));
  for (std::size_t n = 0; n < variants.size();) {
    const bool pair =
        at_once && n + 1 < variants.size() && variants[n].look_ahead == variants[n + 1].look_ahead;
    const auto select = pair ? select_workers<Pair> : select_workers<double>;
    select(variants.subspan(n, pair ? 2 : 1), costs, limit_s, &orders[n]);
    n += pair ? 2 : 1;
  }
  std::vector<StepOrder> taken;
  for (PanelOrder& order : orders) taken.push_back(order.take(limit_s));
  return taken;
}

namespace {

/// Up to so many workers, to try every pair at each step was seen to be faster than groups
/// (experiments/benchmark/README.md).
constexpr std::size_t kFewWorkers = 40;

/// In the order of kVariants, which decides ties.
bool before(const Variant& one, const Variant& other) {
  return std::find(kVariants.begin(), kVariants.end(), one) <
         std::find(kVariants.begin(), kVariants.end(), other);
}

}  // namespace

Plan Het::make_plan(const Platform& platform, const Problem& problem) const {
  const auto costs = step_costs(platform, problem, kOptimizedOverlapped);
  StepOrder best;
  Variant winner;
  double best_s = kUnknown;
  // Those that count C come last: where moving C costs more than a step computes, they keep to a
  // worker, and are given up. Neighbours differ by `local` alone, to be planned at once.
  for (const bool count_c : {false, true}) {
    std::vector<Variant> variants;
    for (const bool look_ahead : {false, true}) {
      for (const bool local : {false, true}) {
        if (parameters_.local.value_or(local) == local &&
            parameters_.look_ahead.value_or(look_ahead) == look_ahead &&
            parameters_.count_c.value_or(count_c) == count_c) {
          variants.push_back({local, look_ahead, count_c});
        }
      }
    }
    auto orders = costs.size() <= kFewWorkers
                      ? select_workers(variants, costs, problem, best_s)
                      : fast::select_by_groups(variants, costs, problem, best_s);
    for (std::size_t n = 0; n < variants.size(); ++n) {
      if (orders[n].empty()) continue;
      const double makespan_s =
          order_makespan_s(orders[n], platform, problem, kOptimizedOverlapped);
      const bool less = clearly_less(makespan_s, best_s);
      if (!less && (clearly_less(best_s, makespan_s) || !before(variants[n], winner))) continue;
      best.swap(orders[n]);
      winner = variants[n];
      best_s = makespan_s;
    }
  }
  return {.dispatcher = run_order(std::move(best), platform, problem, kOptimizedOverlapped),
          .details = {{"selection", winner.name()}}};
}

}  // namespace starport
