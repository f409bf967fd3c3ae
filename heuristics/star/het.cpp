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

/// One selection at a time or, where Number is several, so many of them: all look ahead or all do
/// not, with as many workers.
template <class Number, class PlanningClock>
class IncrementalSelection {
 public:
  explicit IncrementalSelection(std::span<const Selection> selections)
      : selections_(selections),
        look_ahead_(selections[0].variant.look_ahead),
        clock_(selections[0].costs->size()) {}

  void begin(std::size_t lane, std::size_t n) {
    const auto& [variant, costs, problem, limit_s] = selections_[n];
    clock_.begin(lane, *costs, variant.count_c);
    lane_of(local_, lane) = variant.local ? 1 : 0;
    lane_of(work_, lane) = 0;
  }

  /// Plans the step of largest ratio; the number of its worker.
  Number choose() {
    // The time over which the ratio is taken, and the work achieved in it: all of the run, or what
    // the next communications add.
    clock_.begin_at(local_ * clock_.communication_end_s);
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

  Ratio ratio_of(const Number& updates, const Number& end_s) const {
    return {achieved_ + updates, end_s};
  }

  /// The largest ratio after a step on the first worker, which ends then, and one on any.
  Ratio best_pair(const Worker& first, const Number& end_s) const {
    const Number work = achieved_ + first.updates;
    const auto ratio_of_both = [&](const Worker& second, const Number& second_end_s) {
      return Ratio{work + second.updates, second_end_s};
    };
    Ratio best = ratio_of_both(first, clock_.second_end_s(first, end_s));
    for (const Worker& second : clock_.workers) {
      if (&second == &first) continue;
      const Ratio pair = ratio_of_both(second, clock_.end_s(second, end_s));
      best = where(best < pair, pair, best);
    }
    return best;
  }

  std::span<const Selection> selections_;
  bool look_ahead_;
  Number local_{0};
  PlanningClock clock_;
  Number work_{0};  ///< planned so far, in updates
  Number achieved_{0};
};

template <class Number, class PlanningClock = PlanningClock<Number>>
void select(std::span<const Selection> selections, PanelOrder* orders) {
  IncrementalSelection<Number, PlanningClock> selection(selections);
  plan_in_lanes(selection, selections.size(), [&](std::size_t n, double chosen) {
    orders[n].add(static_cast<std::size_t>(chosen));
    return orders[n].open();
  });
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
  for_neighbours(selections.size(), at_once, alike,
                 [&]<class Number>(std::size_t first, std::size_t count) {
                   select<Number>(selections.subspan(first, count), &orders[first]);
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

std::vector<std::vector<Variant>> VariantsAsked::in_turn() const {
  std::vector<std::vector<Variant>> turns;
  for (const bool counted : {false, true}) {
    for (const bool ahead : {false, true}) {
      if (count_c.value_or(counted) != counted || look_ahead.value_or(ahead) != ahead) continue;
      turns.emplace_back();
      for (const bool of_last : {false, true}) {
        if (local.value_or(of_last) == of_last) turns.back().push_back({of_last, ahead, counted});
      }
    }
  }
  return turns;
}

void BestOrder::offer(StepOrder its_order, double its_makespan_s, const Variant& variant) {
  const bool less = clearly_less(its_makespan_s, makespan_s);
  if (!less && (clearly_less(makespan_s, its_makespan_s) || !(variant < winner))) return;
  order.swap(its_order);
  winner = variant;
  makespan_s = its_makespan_s;
}

Plan BestOrder::plan() {
  return {.dispatcher = run_order(std::move(order), *instance.platform, *instance.problem,
                                  kOptimizedOverlapped),
          .details = {{"selection", winner.name()}}};
}

Plan plan_het(const VariantsAsked& asked, const Platform& platform, const Problem& problem) {
  const Instance instance{&platform, &problem};
  if (fast::pays_for_het(instance)) {
    return std::move(fast::plan_het_each(asked, {&instance, 1}).front());
  }
  BestOrder best(instance);
  for (const std::vector<Variant>& variants : asked.in_turn()) {
    std::vector<Selection> selections;
    for (const Variant& variant : variants) selections.push_back({variant, &best.costs, &problem});
    auto planned = asked.clock == PlanningDates::exact ? select_exactly(selections)
                                                       : select_workers(selections);
    for (std::size_t n = 0; n < selections.size(); ++n) {
      StepOrder order = planned[n].take(kUnknown);
      const Ordered run{&order, &platform, &problem};
      const double makespan_s = order_makespans_s({&run, 1}, kOptimizedOverlapped).front();
      best.offer(std::move(order), makespan_s, variants[n]);
    }
  }
  return best.plan();
}

}  // namespace starport
