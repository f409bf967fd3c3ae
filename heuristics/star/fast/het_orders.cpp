// Het's orders of large instances, and of several: given up where they cannot be the best, planned
// beside each other, or in threads.
#include "heuristics/star/fast/for_many.hpp"
#include "sim/platform/ties.hpp"
#include "sim/process/machine.hpp"

#include <algorithm>
#include <future>
#include <mutex>
#include <system_error>

namespace starport::fast {
namespace {

/// Up to so many workers, to try every pair at each step was seen to be faster than groups
/// (experiments/benchmark/findings.md).
constexpr std::size_t kFewWorkers = 40;
/// From so many steps on, variants are planned in threads.
constexpr double kManySteps = 1e5;

/// Few workers are planned for in vectors.
bool few(const std::vector<StepCosts>& costs) { return costs.size() <= kFewWorkers; }

std::vector<PanelOrder> select_all(const VariantsAsked& asked,
                                   std::span<const Selection> selections) {
  if (asked.clock == PlanningDates::exact) return select_exactly(selections);
  const bool all_few =
      std::ranges::all_of(selections, [](const Selection& x) { return few(*x.costs); });
  return all_few ? select_workers(selections) : select_by_groups(selections);
}

/// What is planned for an instance; an order that ends clearly later than the best so far may be
/// given up.
Selection selection_of(const Variant& variant, const BestOrder& best) {
  return {variant, &best.costs, best.instance.problem,
          best.makespan_s * (1 + 4 * kRelativeTolerance)};
}

/// An order and when its run ends; none where it was given up.
struct RunOrder {
  StepOrder order = {};
  double makespan_s = kUnknown;
};

std::vector<RunOrder> plan_and_run(const VariantsAsked& asked,
                                   std::span<const Selection> selections,
                                   std::span<BestOrder* const> bests) {
  std::vector<PanelOrder> planned = select_all(asked, selections);
  std::vector<RunOrder> runs(planned.size());
  std::vector<std::size_t> numbers;
  std::vector<Ordered> ordered;
  for (std::size_t n = 0; n < planned.size(); ++n) {
    runs[n].order = planned[n].take(selections[n].limit_s);
    if (runs[n].order.empty()) continue;
    numbers.push_back(n);
    ordered.push_back({&runs[n].order, bests[n]->instance.platform, bests[n]->instance.problem});
  }
  const std::vector<double> makespans_s = order_makespans_s(ordered, kOptimizedOverlapped);
  for (std::size_t k = 0; k < numbers.size(); ++k) runs[numbers[k]].makespan_s = makespans_s[k];
  return runs;
}

void offer(RunOrder& run, const Variant& variant, BestOrder& best) {
  if (!run.order.empty()) best.offer(std::move(run.order), run.makespan_s, variant);
}

/// How many steps an order has at least.
double least_steps(const BestOrder& best) {
  double largest = 1;
  for (const StepCosts& cost : best.costs) largest = std::max(largest, cost.updates);
  return static_cast<double>(best.instance.problem->updates()) / largest;
}

/// One of the pieces of work that the variants of an instance are divided into.
struct Piece {
  std::size_t turn;
  std::vector<Variant> variants;
  std::vector<RunOrder> runs = {};
};

std::vector<Piece> pieces_of(const VariantsAsked& asked, const BestOrder& best) {
  const auto turns = asked.in_turn();
  std::vector<Piece> pieces;
  for (std::size_t turn = 0; turn < turns.size(); ++turn) {
    for (const Variant& variant : turns[turn]) {
      const bool joins = few(best.costs) && !pieces.empty() && pieces.back().turn == turn;
      if (!joins) pieces.push_back({.turn = turn, .variants = {}});
      pieces.back().variants.push_back(variant);
    }
  }
  return pieces;
}

/// Plans the variants of an instance, so many pieces at once, and offers them in turn, as without
/// threads: which order is given up when, has no influence.
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
      std::vector<Selection> selections;
      for (const Variant& variant : piece.variants) {
        selections.push_back(selection_of(variant, best_));
      }
      lock.unlock();
      const std::vector<BestOrder*> bests(selections.size(), &best_);
      auto runs = plan_and_run(asked_, selections, bests);
      lock.lock();
      piece.runs = std::move(runs);
      offer_runs();
    }
  }
  /// Of the pieces that are over, as far as all before them are.
  void offer_runs() {
    for (; offered_ < pieces_.size() && !pieces_[offered_].runs.empty(); ++offered_) {
      Piece& piece = pieces_[offered_];
      for (std::size_t n = 0; n < piece.runs.size(); ++n) {
        offer(piece.runs[n], piece.variants[n], best_);
      }
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
        selections.push_back(selection_of(variant, *best));
        its_bests.push_back(best);
      }
    }
    auto runs = plan_and_run(asked, selections, its_bests);
    for (std::size_t n = 0; n < runs.size(); ++n) {
      offer(runs[n], selections[n].variant, *its_bests[n]);
    }
  }
  std::vector<Plan> plans;
  for (BestOrder& best : bests) plans.push_back(best.plan());
  return plans;
}

bool pays_for_het(const Instance& instance) {
  const BestOrder none(instance);
  return !few(none.costs) || least_steps(none) >= kManySteps;
}

}  // namespace starport::fast
