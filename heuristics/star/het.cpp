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
  for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i].worker = (*costs_)[i].worker;
  std::size_t kept = 0;
  for (const std::int32_t i : order_) {
    Steps& steps = steps_[static_cast<std::size_t>(i)];
    order_[kept] = steps.worker;
    kept += steps.completed-- > 0 ? 1 : 0;
  }
  order_.resize(kept);
  return std::move(order_);
}

namespace {

/// One selection or, where Number is several, so many of them that all look ahead or all do not;
/// the last one stands for those that lack.
template <class Number, class PlanningClock>
class IncrementalSelection {
 public:
  explicit IncrementalSelection(std::span<const Selection> selections)
      : look_ahead_(selections[0].variant.look_ahead),
        local_(of(selections, &Variant::local)),
        clock_(
            selections[0].costs->size(),
            [&](std::size_t n) -> auto& { return *nth(selections, n).costs; },
            of(selections, &Variant::count_c)) {}

  /// Plans the step of largest ratio; the number of its worker.
  Number choose() {
    // The time over which the ratio is taken, and the work achieved in it: all of the run, or what
    // the next communications add.
    since_s_ = local_ * clock_.communication_end_s;
    achieved_ = (Number(1) - local_) * work_;
    Number best = 0;
    Ratio best_ratio{0, 1};
    Number number = 0;
    for (const Worker& worker : clock_.workers) {
      const Number end_s = clock_.end_s(worker);
      const Ratio ratio = look_ahead_ ? best_pair(worker, end_s) : ratio_of(worker.updates, end_s);
      const auto better =
          clearly_less(best_ratio.work * ratio.time_s, ratio.work * best_ratio.time_s);
      best_ratio = where(better, ratio, best_ratio);
      best = where(better, number, best);
      number = number + 1;
    }
    work_ = work_ + clock_.choose_each(best);
    return best;
  }

 private:
  using Worker = typename PlanningClock::Worker;
  /// Total work achieved / completion time of the last communication. Two are compared by products:
  /// divisions take most of the time.
  struct Ratio {
    Number work;
    Number time_s;
    friend auto operator<(const Ratio& x, const Ratio& y) {
      return x.work * y.time_s < y.work * x.time_s;
    }
    template <class Mask>
    friend Ratio where(const Mask& condition, const Ratio& x, const Ratio& otherwise) {
      return {where(condition, x.work, otherwise.work),
              where(condition, x.time_s, otherwise.time_s)};
    }
  };

  static const Selection& nth(std::span<const Selection> selections, std::size_t n) {
    return selections[std::min(n, selections.size() - 1)];
  }
  static Number of(std::span<const Selection> selections, bool Variant::*property) {
    return number_of<Number>(
        [&](std::size_t n) { return nth(selections, n).variant.*property ? 1 : 0; });
  }

  Ratio ratio_of(const Number& updates, const Number& end_s) const {
    return {achieved_ + updates, end_s - since_s_};
  }

  /// The largest ratio after a step on the first worker, which ends then, and one on any.
  Ratio best_pair(const Worker& first, const Number& end_s) const {
    const Number work = achieved_ + first.updates;
    const auto ratio_of_both = [&](const Worker& second, const Number& second_end_s) {
      return Ratio{work + second.updates, second_end_s - since_s_};
    };
    Ratio best = ratio_of_both(first, clock_.second_end_s(first, end_s));
    for (const Worker& second : clock_.workers) {
      if (&second == &first) continue;
      const Ratio pair = ratio_of_both(second, clock_.end_s(second, end_s));
      best = where(best < pair, pair, best);
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
void select(std::span<const Selection> selections, PanelOrder* orders) {
  IncrementalSelection<Number, PlanningClock> selection(selections);
  for (std::size_t open = selections.size(); open > 0;) {
    const auto chosen = std::bit_cast<DoublesOf<Number>>(selection.choose());
    for (std::size_t n = 0; n < selections.size(); ++n) {
      if (!orders[n].open()) continue;
      orders[n].add(static_cast<std::size_t>(chosen[n]));
      if (!orders[n].open()) --open;
    }
  }
}

std::vector<PanelOrder> empty_orders(std::span<const Selection> selections) {
  std::vector<PanelOrder> orders;
  for (const Selection& selection : selections) {
    orders.emplace_back(*selection.costs, *selection.problem, selection.limit_s);
  }
  return orders;
}

}  // namespace

std::vector<PanelOrder> select_workers(std::span<const Selection> selections, std::size_t at_once) {
  auto orders = empty_orders(selections);
  const auto alike = [&](std::size_t n, std::size_t other) {
    const Selection& x = selections[n];
    const Selection& y = selections[other];
    return x.variant.look_ahead == y.variant.look_ahead && x.costs->size() == y.costs->size();
  };
  for_neighbours(selections.size(), at_once, alike, [&](std::size_t first, std::size_t count) {
    work_at_width(count, [&]<class Number>() {
      select<Number>(selections.subspan(first, count), &orders[first]);
    });
  });
  return orders;
}

std::vector<PanelOrder> select_exactly(std::span<const Selection> selections) {
  auto orders = empty_orders(selections);
  for (std::size_t n = 0; n < selections.size(); ++n) {
    select<double, ExactClock>(selections.subspan(n, 1), &orders[n]);
  }
  return orders;
}

namespace {

/// Up to so many workers, to try every pair at each step was seen to be faster than groups
/// (experiments/benchmark/README.md).
constexpr std::size_t kFewWorkers = 40;

std::vector<PanelOrder> select_all(const VariantsAsked& asked,
                                   std::span<const Selection> selections) {
  if (asked.clock == PlanningDates::exact) return select_exactly(selections);
  const bool few = std::ranges::all_of(
      selections, [](const Selection& x) { return x.costs->size() <= kFewWorkers; });
  return few ? select_workers(selections) : fast::select_by_groups(selections);
}

/// The best of the orders planned so far on an instance.
struct BestOrder {
  explicit BestOrder(const Instance& instance)
      : instance(instance),
        costs(step_costs(*instance.platform, *instance.problem, kOptimizedOverlapped)) {}

  void offer(PanelOrder& planned, const Variant& variant) {
    StepOrder its_order = planned.take(makespan_s);
    if (its_order.empty()) return;
    const double its_makespan_s =
        order_makespan_s(its_order, *instance.platform, *instance.problem, kOptimizedOverlapped);
    const bool less = clearly_less(its_makespan_s, makespan_s);
    if (!less && (clearly_less(makespan_s, its_makespan_s) || !(variant < winner))) return;
    order.swap(its_order);
    winner = variant;
    makespan_s = its_makespan_s;
  }

  Plan plan() {
    return {.dispatcher = run_order(std::move(order), *instance.platform, *instance.problem,
                                    kOptimizedOverlapped),
            .details = {{"selection", winner.name()}}};
  }

  Instance instance;
  std::vector<StepCosts> costs;
  StepOrder order = {};
  Variant winner = {};
  double makespan_s = kUnknown;
};

/// Those asked for. The ones that count C come last: where moving C costs more than a step
/// computes, they keep to a worker, and are given up.
std::vector<Variant> variants_asked(const VariantsAsked& asked, bool look_ahead) {
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
  return variants;
}

}  // namespace

std::vector<Plan> plan_het_each(const VariantsAsked& asked, std::span<const Instance> instances) {
  std::vector<BestOrder> bests(instances.begin(), instances.end());
  std::vector<BestOrder*> by_size;  // those with as many workers beside each other
  for (BestOrder& best : bests) by_size.push_back(&best);
  std::ranges::stable_sort(by_size, {}, [](const BestOrder* best) { return best->costs.size(); });
  for (const bool look_ahead : {false, true}) {
    std::vector<Selection> selections;
    for (const Variant& variant : variants_asked(asked, look_ahead)) {
      for (const BestOrder* best : by_size) {
        selections.push_back({variant, &best->costs, best->instance.problem, best->makespan_s});
      }
    }
    auto orders = select_all(asked, selections);
    for (std::size_t n = 0; n < orders.size(); ++n) {
      by_size[n % by_size.size()]->offer(orders[n], selections[n].variant);
    }
  }
  std::vector<Plan> plans;
  for (BestOrder& best : bests) plans.push_back(best.plan());
  return plans;
}

Plan plan_het(const VariantsAsked& asked, const Platform& platform, const Problem& problem) {
  const Instance instance{&platform, &problem};
  return std::move(plan_het_each(asked, {&instance, 1}).front());
}

}  // namespace starport
