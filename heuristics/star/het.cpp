#include "heuristics/star/het.hpp"

#include "heuristics/star/fast/for_many.hpp"
#include "sim/platform/ties.hpp"

#include <bit>

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

/// One variant or, where Number is several, so many of them that all look ahead or all do not; the
/// last one stands for those that lack.
template <class Number, class PlanningClock>
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
      const Worker& worker = clock_.workers[i];
      const Number end_s = clock_.end_s(worker);
      const Number ratio =
          look_ahead_ ? best_pair(worker, end_s) : ratio_of(worker.updates, end_s).value();
      const auto better = clearly_less(best_ratio, ratio);
      best_ratio = where(better, ratio, best_ratio);
      best = where(better, static_cast<double>(i), best);
    }
    work_ = work_ + clock_.choose_each(best);
    return best;
  }

 private:
  using Worker = typename PlanningClock::Worker;
  /// Total work achieved / completion time of the last communication.
  struct Ratio {
    Number work;
    Number time_s;
    Number value() const { return work / time_s; }
  };

  static Number of(std::span<const Variant> variants, bool Variant::*property) {
    DoublesOf<Number> values;
    for (std::size_t n = 0; n < values.size(); ++n) {
      values[n] = variants[std::min(n, variants.size() - 1)].*property ? 1 : 0;
    }
    return std::bit_cast<Number>(values);
  }

  Ratio ratio_of(const Number& updates, const Number& end_s) const {
    return {achieved_ + updates, end_s - since_s_};
  }

  /// After a step on the first worker, which ends then, and one on the second.
  Ratio ratio_of_pair(const Worker& first, const Number& end_s, const Worker& second) const {
    return ratio_of(first.updates + second.updates, &first == &second
                                                        ? clock_.second_end_s(first, end_s)
                                                        : clock_.end_s(second, end_s));
  }

  /// The largest ratio after a step on the first worker, which ends then, and one on any. Of every
  /// two the larger is found by products: divisions take most of the time.
  Number best_pair(const Worker& first, const Number& end_s) const {
    const auto& workers = clock_.workers;
    Number best = 0;
    for (std::size_t j = 0; j < workers.size(); j += 2) {
      const Ratio x = ratio_of_pair(first, end_s, workers[j]);
      const Ratio y = ratio_of_pair(first, end_s, workers[std::min(j + 1, workers.size() - 1)]);
      const auto less = x.work * y.time_s < y.work * x.time_s;
      best = max(best, where(less, y.work, x.work) / where(less, y.time_s, x.time_s));
    }
    return best;
  }

  bool look_ahead_;
  Number local_;
  PlanningClock clock_;
  Number work_{0};  ///< planned so far, in updates
  Number since_s_{0};
  Number achieved_{0};
};

template <class Number, class PlanningClock = PlanningClock<Number>>
void select(std::span<const Variant> variants, const std::vector<StepCosts>& costs, double limit_s,
            PanelOrder* orders) {
  IncrementalSelection<Number, PlanningClock> selection(variants, costs);
  for (bool open = true; open;) {
    const auto chosen = std::bit_cast<DoublesOf<Number>>(selection.choose());
    open = false;
    for (std::size_t n = 0; n < variants.size(); ++n) {
      if (!orders[n].open(limit_s)) continue;
      orders[n].add(static_cast<std::size_t>(chosen[n]));
      open = open || orders[n].open(limit_s);
    }
  }
}

/// So many at once as the processor's vectors hold.
struct Selector {
  std::size_t lanes;
  decltype(&select<double>) select;
};

#ifdef __x86_64__
[[gnu::target("avx2"), gnu::flatten]] void select_by_fours(std::span<const Variant> variants,
                                                           const std::vector<StepCosts>& costs,
                                                           double limit_s, PanelOrder* orders) {
  select<Lanes<4>>(variants, costs, limit_s, orders);
}

Selector widest_selector() {
  if (__builtin_cpu_supports("avx2")) return {4, select_by_fours};
  return {2, select<Lanes<2>>};
}
#else
Selector widest_selector() { return {2, select<Lanes<2>>}; }
#endif

}  // namespace

std::vector<PanelOrder> select_workers(std::span<const Variant> variants,
                                       const std::vector<StepCosts>& costs, const Problem& problem,
                                       double limit_s, bool at_once) {
  static const Selector widest = widest_selector();
  const auto [lanes, select] = at_once ? widest : Selector{1, starport::select<double>};
  std::vector<PanelOrder> orders(variants.size(), PanelOrder(costs, problem));
  for (std::size_t n = 0; n < variants.size();) {
    std::size_t end = n + 1;
    while (end < std::min(n + lanes, variants.size()) &&
           variants[end].look_ahead == variants[n].look_ahead) {
      ++end;
    }
    select(variants.subspan(n, end - n), costs, limit_s, &orders[n]);
    n = end;
  }
  return orders;
}

std::vector<PanelOrder> select_exactly(std::span<const Variant> variants,
                                       const std::vector<StepCosts>& costs, const Problem& problem,
                                       double limit_s) {
  std::vector<PanelOrder> orders(variants.size(), PanelOrder(costs, problem));
  for (std::size_t n = 0; n < variants.size(); ++n) {
    select<double, ExactClock>(variants.subspan(n, 1), costs, limit_s, &orders[n]);
  }
  return orders;
}

namespace {

/// Up to so many workers, to try every pair at each step was seen to be faster than groups
/// (experiments/benchmark/README.md).
constexpr std::size_t kFewWorkers = 40;

std::vector<PanelOrder> select_few(std::span<const Variant> variants,
                                   const std::vector<StepCosts>& costs, const Problem& problem,
                                   double limit_s) {
  return select_workers(variants, costs, problem, limit_s);
}

}  // namespace

Plan plan_het(const VariantsAsked& asked, const Platform& platform, const Problem& problem) {
  const auto costs = step_costs(platform, problem, kOptimizedOverlapped);
  StepOrder best;
  Variant winner;
  double best_s = kUnknown;
  // Those alike in look-ahead are planned at once. Those that count C come last: where moving C
  // costs more than a step computes, they keep to a worker, and are given up.
  for (const bool look_ahead : {false, true}) {
    std::vector<Variant> variants;
    for (const bool count_c : {false, true}) {
      for (const bool local : {false, true}) {
        if (asked.local.value_or(local) == local &&
            asked.look_ahead.value_or(look_ahead) == look_ahead &&
            asked.count_c.value_or(count_c) == count_c) {
          variants.push_back({local, look_ahead, count_c});
        }
      }
    }
    const auto select = asked.clock == PlanningDates::exact ? select_exactly
                        : costs.size() <= kFewWorkers       ? select_few
                                                            : fast::select_by_groups;
    auto orders = select(variants, costs, problem, best_s);
    for (std::size_t n = 0; n < variants.size(); ++n) {
      StepOrder order = orders[n].take(best_s);
      if (order.empty()) continue;
      const double makespan_s = order_makespan_s(order, platform, problem, kOptimizedOverlapped);
      const bool less = clearly_less(makespan_s, best_s);
      if (!less && (clearly_less(best_s, makespan_s) || !(variants[n] < winner))) continue;
      best.swap(order);
      winner = variants[n];
      best_s = makespan_s;
    }
  }
  return {.dispatcher = run_order(std::move(best), platform, problem, kOptimizedOverlapped),
          .details = {{"selection", winner.name()}}};
}

}  // namespace starport
