#include "heuristics/star/het.hpp"

#include "heuristics/star/fast/for_many.hpp"
#include "sim/platform/ties.hpp"
#include "sim/process/machine.hpp"

#include <bit>
#include <future>
#include <iterator>
#include <mutex>
#include <system_error>

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

namespace {

/// Up to so many workers, to try every pair at each step was seen to be faster than groups
/// (experiments/benchmark/README.md).
constexpr std::size_t kFewWorkers = 40;
/// From so many steps on, variants are planned in threads.
constexpr double kManySteps = 1e5;

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

  void offer(StepOrder its_order, double its_makespan_s, const Variant& variant) {
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

/// Runs the orders, and offers each to the best of its instance.
void offer_each(std::vector<PanelOrder> planned, std::span<const Selection> selections,
                std::span<BestOrder* const> bests) {
  std::vector<StepOrder> orders;
  std::vector<std::size_t> run;
  for (std::size_t n = 0; n < planned.size(); ++n) {
    orders.push_back(planned[n].take(bests[n]->makespan_s));
    if (!orders.back().empty()) run.push_back(n);
  }
  std::vector<Ordered> ordered;
  for (const std::size_t n : run) {
    ordered.push_back({&orders[n], bests[n]->instance.platform, bests[n]->instance.problem});
  }
  const std::vector<double> makespans_s = order_makespans_s(ordered, kOptimizedOverlapped);
  for (std::size_t k = 0; k < run.size(); ++k) {
    const std::size_t n = run[k];
    bests[n]->offer(std::move(orders[n]), makespans_s[k], selections[n].variant);
  }
}

/// Those asked for, but for the ratio.
std::vector<Variant> variants_asked(const VariantsAsked& asked, bool look_ahead, bool count_c) {
  std::vector<Variant> variants;
  if (asked.look_ahead.value_or(look_ahead) != look_ahead) return variants;
  if (asked.count_c.value_or(count_c) != count_c) return variants;
  for (const bool local : {false, true}) {
    if (asked.local.value_or(local) == local) variants.push_back({local, look_ahead, count_c});
  }
  return variants;
}

/// All those asked for, in the order in which they are offered: some at a time. The ones that count
/// C come last: where moving C costs more than a step computes, they keep to a worker, and are
/// given up.
std::vector<std::vector<Variant>> variants_in_turn(const VariantsAsked& asked) {
  std::vector<std::vector<Variant>> turns;
  for (const bool count_c : {false, true}) {
    for (const bool look_ahead : {false, true}) {
      turns.push_back(variants_asked(asked, look_ahead, count_c));
    }
  }
  return turns;
}

/// Few workers are planned for in vectors.
bool few(const BestOrder& best) { return best.costs.size() <= kFewWorkers; }

/// How many steps an order has at least.
double least_steps(const BestOrder& best) {
  double largest = 1;
  for (const StepCosts& cost : best.costs) largest = std::max(largest, cost.updates);
  return static_cast<double>(best.instance.problem->updates()) / largest;
}

/// One of the pieces of work that the variants of an instance are divided into.
struct Piece {
  std::size_t turn;
  std::vector<Selection> selections;
  std::vector<PanelOrder> planned = {};
  bool done = false;
};

std::vector<Piece> pieces_of(const VariantsAsked& asked, const BestOrder& best) {
  const auto turns = variants_in_turn(asked);
  std::vector<Piece> pieces;
  for (std::size_t turn = 0; turn < turns.size(); ++turn) {
    for (const Variant& variant : turns[turn]) {
      const Selection selection{variant, &best.costs, best.instance.problem};
      const bool joins = few(best) && !pieces.empty() && pieces.back().turn == turn;
      if (!joins) pieces.push_back({.turn = turn, .selections = {}});
      pieces.back().selections.push_back(selection);
    }
  }
  return pieces;
}

/// Plans the variants of an instance, so many pieces at once, and offers them turn after turn, as
/// without threads: which order is given up when, has no influence.
class PlannedInThreads {
 public:
  PlannedInThreads(const VariantsAsked& asked, BestOrder& best)
      : asked_(asked), best_(best), pieces_(pieces_of(asked, best)) {}

  void plan(int threads) {
    std::vector<std::future<void>> others;
    const auto count = std::min<std::size_t>(threads, pieces_.size());
    try {
      while (others.size() + 1 < count) {
        others.push_back(std::async(std::launch::async, [this] { work(); }));
      }
    } catch (const std::system_error&) {  // no thread is to be had: fewer will do
    }
    work();
    for (auto& other : others) other.get();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (next_ < pieces_.size()) {
      Piece& piece = pieces_[next_++];
      // Orders of earlier turns may still be offered, that are as good and preferred.
      for (Selection& selection : piece.selections) selection.limit_s = best_.makespan_s * 1.000001;
      lock.unlock();
      auto planned = select_all(asked_, piece.selections);
      lock.lock();
      piece.planned = std::move(planned);
      piece.done = true;
      offer_turns();
    }
  }
  /// Those that are over.
  void offer_turns() {
    for (;;) {
      std::size_t end = offered_;
      while (end < pieces_.size() && pieces_[end].turn == pieces_[offered_].turn) {
        if (!pieces_[end].done) return;
        ++end;
      }
      if (end == offered_) return;
      std::vector<PanelOrder> planned;
      std::vector<Selection> selections;
      for (; offered_ < end; ++offered_) {
        std::ranges::move(pieces_[offered_].planned, std::back_inserter(planned));
        std::ranges::move(pieces_[offered_].selections, std::back_inserter(selections));
      }
      offer_each(std::move(planned), selections,
                 std::vector<BestOrder*>(selections.size(), &best_));
    }
  }

  const VariantsAsked& asked_;
  BestOrder& best_;
  std::vector<Piece> pieces_;
  std::mutex mutex_;  ///< of what follows
  std::size_t next_ = 0;
  std::size_t offered_ = 0;
};

}  // namespace

Plan plan_het_in_threads(const VariantsAsked& asked, const Instance& instance, int threads) {
  BestOrder best(instance);
  PlannedInThreads(asked, best).plan(threads);
  return best.plan();
}

std::vector<Plan> plan_het_each(const VariantsAsked& asked, std::span<const Instance> instances) {
  std::vector<BestOrder> bests(instances.begin(), instances.end());
  std::vector<BestOrder*> at_once;  // those with as many workers beside each other
  const int threads = threads_at_once();
  for (BestOrder& best : bests) {
    if (threads > 1 && least_steps(best) >= kManySteps) {
      PlannedInThreads(asked, best).plan(threads);
    } else {
      at_once.push_back(&best);
    }
  }
  std::ranges::stable_sort(at_once, {}, [](const BestOrder* best) { return best->costs.size(); });
  for (const std::vector<Variant>& variants : variants_in_turn(asked)) {
    std::vector<Selection> selections;
    std::vector<BestOrder*> its_bests;
    for (BestOrder* best : at_once) {
      for (const Variant& variant : variants) {
        selections.push_back({variant, &best->costs, best->instance.problem, best->makespan_s});
        its_bests.push_back(best);
      }
    }
    offer_each(select_all(asked, selections), selections, its_bests);
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
