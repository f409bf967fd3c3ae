// Het's orders of large instances, and of several: given up where they cannot be the best, planned
// beside each other, or in threads.
#include "heuristics/star/fast/for_many.hpp"
#include "sim/process/machine.hpp"

#include <algorithm>
#include <future>
#include <iterator>
#include <mutex>
#include <system_error>

namespace starport::fast {
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
  const auto turns = asked.in_turn();
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
  for (const std::vector<Variant>& variants : asked.in_turn()) {
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

bool pays_for_het(const Instance& instance) {
  const BestOrder none(instance);
  return !few(none) || least_steps(none) >= kManySteps;
}

}  // namespace starport::fast
