// Het's plans of several or large instances: in SIMD lanes, by bounds or in threads.
// Orders that cannot be the best are abandoned.

#include "heuristics/star/fast/batch_planning.hpp"
#include "heuristics/star/fast/large_platforms.hpp"
#include "sim/platform/ties.hpp"
#include "sim/process/machine.hpp"

#include <algorithm>
#include <future>
#include <mutex>
#include <system_error>

namespace starport::fast {
namespace {

/// Largest number of workers for which trying every pair at each step, in lanes, is faster than
/// bounds (measured on sweeps; for a single instance, bounds are faster from some 24 on).
constexpr std::size_t kFewWorkers = 40;
/// Number of steps from which on variants are planned in threads.
constexpr double kManySteps = 1e5;

bool has_few_workers(const std::vector<StepCosts>& costs) { return costs.size() <= kFewWorkers; }

std::vector<PanelOrder> select_batch(const HetParameters& parameters,
                                     std::span<const Selection> selections) {
  const auto is_small = [](const Selection& x) { return has_few_workers(*x.costs); };
  const bool is_coarse = parameters.clock == PlanningDates::coarse;
  if (is_coarse && std::ranges::all_of(selections, is_small)) return select_in_lanes(selections);
  std::vector<PanelOrder> orders;
  for (const Selection& x : selections)
    orders.push_back(is_coarse ? select_by_bounds(x) : select_steps(x, PlanningDates::exact));
  return orders;
}

/// Returns the selection for a variant, to be abandoned if it ends clearly later than the best
/// order.
Selection make_selection(const Variant& variant, const BestOrder& best) {
  return {variant, &best.costs, best.instance.problem,
          best.makespan_s * (1 + 4 * kRelativeTolerance)};
}

/// An order and its makespan; an empty order if it was abandoned.
struct SimulatedOrder {
  StepOrder order = {};
  double makespan_s = kUnknown;
};

/// Plans the selections and simulates their orders; bests[n] has the instance of selection n.
std::vector<SimulatedOrder> plan_and_simulate(const HetParameters& parameters,
                                              std::span<const Selection> selections,
                                              std::span<BestOrder* const> bests) {
  std::vector<PanelOrder> planned = select_batch(parameters, selections);
  std::vector<SimulatedOrder> runs(planned.size());
  for (std::size_t n = 0; n < planned.size(); ++n) {
    runs[n].order = planned[n].finish(selections[n].limit_s);
    if (runs[n].order.empty()) continue;
    const auto& [platform, problem] = bests[n]->instance;
    runs[n].makespan_s = order_makespan_s(runs[n].order, *platform, *problem, kOptimizedOverlapped);
  }
  return runs;
}

void offer(SimulatedOrder& run, const Variant& variant, BestOrder& best) {
  if (!run.order.empty()) best.offer(std::move(run.order), run.makespan_s, variant);
}

/// Returns a lower bound on the number of steps of an order.
double min_steps(const BestOrder& best) {
  double largest = 1;
  for (const StepCosts& cost : best.costs) largest = std::max(largest, cost.updates);
  return static_cast<double>(best.instance.problem->updates()) / largest;
}

/// A task for one thread: some variants of an instance, of one group of variants.
struct Task {
  std::size_t group;
  std::vector<Variant> variants;
  std::vector<SimulatedOrder> runs = {};
};

/// Splits the variants into tasks: one per group, which shares lanes, or one per variant for many
/// workers.
std::vector<Task> make_tasks(const HetParameters& parameters, const BestOrder& best) {
  const auto groups = parameters.variant_groups();
  std::vector<Task> tasks;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const Variant& variant : groups[group]) {
      const bool joins =
          has_few_workers(best.costs) && !tasks.empty() && tasks.back().group == group;
      if (!joins) tasks.push_back({.group = group, .variants = {}});
      tasks.back().variants.push_back(variant);
    }
  }
  return tasks;
}

/// Plans the variants of an instance in threads and offers their orders in the same sequence as
/// without threads, so that the result does not depend on which orders are abandoned when.
class ThreadedPlanner {
 public:
  ThreadedPlanner(const HetParameters& parameters, BestOrder& best)
      : parameters_(parameters), best_(best), tasks_(make_tasks(parameters, best)) {}

  void plan(int threads) {
    std::vector<std::future<void>> helpers;
    const auto count = std::min<std::size_t>(threads, tasks_.size());
    try {
      while (helpers.size() + 1 < count) {
        helpers.push_back(std::async(std::launch::async, [this] { run_tasks(); }));
      }
    } catch (const std::system_error&) {  // no more threads are available
    }
    run_tasks();
    for (auto& helper : helpers) helper.get();
  }

 private:
  /// Runs tasks until none is left.
  void run_tasks() {
    std::unique_lock lock(mutex_);
    while (next_ < tasks_.size()) {
      Task& task = tasks_[next_++];
      std::vector<Selection> selections;
      for (const Variant& variant : task.variants) {
        selections.push_back(make_selection(variant, best_));
      }
      lock.unlock();
      const std::vector<BestOrder*> bests(selections.size(), &best_);
      auto runs = plan_and_simulate(parameters_, selections, bests);
      lock.lock();
      task.runs = std::move(runs);
      offer_completed();
    }
  }
  /// Offers the orders of completed tasks, as far as all tasks before them are complete.
  void offer_completed() {
    for (; offered_ < tasks_.size() && !tasks_[offered_].runs.empty(); ++offered_) {
      Task& task = tasks_[offered_];
      for (std::size_t n = 0; n < task.runs.size(); ++n) {
        offer(task.runs[n], task.variants[n], best_);
      }
    }
  }

  const HetParameters& parameters_;
  BestOrder& best_;
  std::vector<Task> tasks_;
  std::mutex mutex_;         ///< protects best_, the results in tasks_, next_ and offered_
  std::size_t next_ = 0;     ///< task to start next
  std::size_t offered_ = 0;  ///< tasks whose orders have been offered
};

/// IncrementalSelection (het.cpp) in vectors: a selection in each lane, all with as many workers,
/// and with or without look-ahead.
template <class Vector>
class VectorSelection {
 public:
  explicit VectorSelection(std::span<const Selection> selections)
      : selections_(selections),
        look_ahead_(selections[0].variant.look_ahead),
        clock_(selections[0].costs->size()) {}

  void start(std::size_t lane, std::size_t n) {
    const auto& [variant, costs, problem, limit_s] = selections_[n];
    clock_.start(lane, *costs, variant.count_c);
    lane_of(local_, lane) = variant.local ? 1 : 0;
    lane_of(work_, lane) = 0;
  }

  Vector choose() {
    clock_.rebase(local_ * clock_.communication_end_s);
    achieved_ = (Vector(1) - local_) * work_;
    Vector best = 0;
    Ratio best_ratio{0, 1};
    Vector index = 0;
    for (const Worker& worker : clock_.workers) {
      const Vector end_s = worker.step_end_s(clock_.communication_end_s);
      const Ratio ratio =
          look_ahead_ ? best_pair(worker, end_s) : Ratio{achieved_ + worker.updates, end_s};
      const auto is_better =
          clearly_less(best_ratio.work * ratio.time_s, ratio.work * best_ratio.time_s);
      best_ratio = where(is_better, ratio, best_ratio);
      best = where(is_better, index, best);
      index = index + 1;
    }
    plan_step(best);
    return best;
  }

 private:
  using Worker = typename VectorPlanningClock<Vector>::Worker;
  struct Ratio {
    Vector work;
    Vector time_s;
    friend auto operator<(const Ratio& x, const Ratio& y) {
      return x.work * y.time_s < y.work * x.time_s;
    }
    template <class Mask>
    friend Ratio where(const Mask& condition, const Ratio& x, const Ratio& otherwise) {
      return {where(condition, x.work, otherwise.work),
              where(condition, x.time_s, otherwise.time_s)};
    }
  };

  Ratio best_pair(const Worker& first, const Vector& end_s) const {
    const Vector work = achieved_ + first.updates;
    Ratio best{work + first.updates, first.second_step_end_s(end_s)};
    for (const Worker& second : clock_.workers) {
      if (&second == &first) continue;
      const Ratio pair{work + second.updates, second.step_end_s(end_s)};
      best = where(best < pair, pair, best);
    }
    return best;
  }

  void plan_step(const Vector& chosen) {
    Vector planned_s = clock_.communication_end_s;
    Vector updates = 0;
    for_each_chosen(chosen, clock_.workers.size(), [&](std::size_t i, const auto& mask) {
      Worker& worker = clock_.workers[i];
      const Vector end_s = worker.step_end_s(clock_.communication_end_s);
      planned_s = where(mask, end_s, planned_s);
      updates = where(mask, worker.updates, updates);
      worker.ready_s = where(mask, end_s + worker.computation_s, worker.ready_s);
      worker.communication_s = where(mask, worker.later_s, worker.communication_s);
    });
    clock_.communication_end_s = planned_s;
    work_ = work_ + updates;
  }

  std::span<const Selection> selections_;
  bool look_ahead_;
  Vector local_{0};  ///< 1 in lanes with the local ratio
  VectorPlanningClock<Vector> clock_;
  Vector work_{0};
  Vector achieved_{0};
};

/// Returns the variants to plan together, pass by pass. A single instance with few workers fills
/// four lanes only with all variants that have, or lack, look-ahead.
std::vector<std::vector<Variant>> make_passes(const HetParameters& parameters,
                                              std::span<BestOrder* const> batch) {
  std::vector<std::vector<Variant>> passes = parameters.variant_groups();
  if (batch.size() != 1 || !has_few_workers(batch.front()->costs) || widest_vector() < 4)
    return passes;
  std::vector<std::vector<Variant>> merged(2);
  for (const std::vector<Variant>& group : passes) {
    std::vector<Variant>& pass = merged[group.front().look_ahead ? 1 : 0];
    pass.insert(pass.end(), group.begin(), group.end());
  }
  std::erase_if(merged, [](const std::vector<Variant>& pass) { return pass.empty(); });
  return merged;
}

}  // namespace

Plan plan_het_in_threads(const HetParameters& parameters, const Instance& instance, int threads) {
  BestOrder best(instance);
  ThreadedPlanner(parameters, best).plan(threads);
  return best.make_plan();
}

std::vector<Plan> plan_het_batch(const HetParameters& parameters,
                                 std::span<const Instance> instances) {
  std::vector<BestOrder> bests(instances.begin(), instances.end());
  std::vector<BestOrder*> batch;  // sorted by number of workers, to share lanes
  const int threads = usable_threads();
  for (BestOrder& best : bests) {
    if (threads > 1 && min_steps(best) >= kManySteps) {
      ThreadedPlanner(parameters, best).plan(threads);
    } else {
      batch.push_back(&best);
    }
  }
  std::ranges::stable_sort(batch, {}, [](const BestOrder* best) { return best->costs.size(); });
  for (const std::vector<Variant>& variants : make_passes(parameters, batch)) {
    std::vector<Selection> selections;
    std::vector<BestOrder*> selection_bests;
    for (BestOrder* best : batch) {
      for (const Variant& variant : variants) {
        selections.push_back(make_selection(variant, *best));
        selection_bests.push_back(best);
      }
    }
    auto runs = plan_and_simulate(parameters, selections, selection_bests);
    for (std::size_t n = 0; n < runs.size(); ++n) {
      offer(runs[n], selections[n].variant, *selection_bests[n]);
    }
  }
  std::vector<Plan> plans;
  for (BestOrder& best : bests) plans.push_back(best.make_plan());
  return plans;
}

std::vector<PanelOrder> select_in_lanes(std::span<const Selection> selections,
                                        std::size_t max_lanes) {
  std::vector<PanelOrder> orders;
  for (const Selection& selection : selections) {
    orders.emplace_back(*selection.costs, *selection.problem, selection.limit_s);
  }
  const auto is_alike = [&](std::size_t n, std::size_t other) {
    const Selection& x = selections[n];
    const Selection& y = selections[other];
    return x.variant.look_ahead == y.variant.look_ahead && x.costs->size() == y.costs->size();
  };
  for_each_alike_range(selections.size(), max_lanes, is_alike,
                       [&]<class Vector>(std::size_t first, std::size_t count) {
                         VectorSelection<Vector> selection(selections.subspan(first, count));
                         plan_in_lanes(selection, count, [&](std::size_t n, double chosen) {
                           PanelOrder& order = orders[first + n];
                           order.add(static_cast<std::size_t>(chosen));
                           return order.is_open();
                         });
                       });
  return orders;
}

}  // namespace starport::fast
