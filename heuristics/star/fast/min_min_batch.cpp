// OMMOML's plans: of many workers in O(log p) per step, of several instances in SIMD lanes.
#include "heuristics/star/fast/batch_planning.hpp"
#include "heuristics/star/fast/large_platforms.hpp"
#include "heuristics/star/fast/step_ends.hpp"

#include <utility>

namespace starport::fast {
namespace {

/// MinMin (min_min.cpp) in vectors: an instance in each lane, all with as many workers.
template <class Vector>
class VectorMinMin {
 public:
  VectorMinMin(std::span<const UnplannedInstance> instances, const MinMinParameters& parameters)
      : instances_(instances),
        counts_c_(parameters.counts_c),
        clock_(instances[0].costs->size()),
        panels_(instances[0].costs->size()) {}

  void start(std::size_t lane, std::size_t n) {
    const auto& [costs, problem] = instances_[n];
    clock_.start(lane, *costs, false);
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      const StepCosts& cost = (*costs)[i];
      lane_of(panels_[i].steps_left, lane) = 0;
      lane_of(panels_[i].chunk_steps_left, lane) = 0;
      lane_of(panels_[i].steps, lane) = static_cast<double>(cost.panel_steps);
      lane_of(panels_[i].columns, lane) = static_cast<double>(cost.mu);
      lane_of(panels_[i].c_s, lane) = cost.c_s;
    }
    lane_of(chunk_steps_, lane) = static_cast<double>(problem->t);
    lane_of(columns_left_, lane) = static_cast<double>(problem->s);
  }

  /// Plans a step in each lane; returns the indices of the workers, kNobody where no column is
  /// left.
  Vector choose() {
    Vector first = kNobody;
    Vector first_s = kNever;
    Vector index = 0;
    for (std::size_t i = 0; i < panels_.size(); ++i, index = index + 1) {
      const auto is_candidate = Vector(0) < max(panels_[i].steps_left, columns_left_);
      const Vector finish_s = step_end_s(i) + clock_.workers[i].computation_s;
      const auto is_better = clearly_less(where(is_candidate, finish_s, kNever), first_s);
      first = where(is_better, index, first);
      first_s = where(is_better, finish_s, first_s);
    }
    plan_step(first);
    return first;
  }

 private:
  static constexpr double kNobody = -1;
  static constexpr double kNever = 1e300;  ///< finite, as clearly_less() requires

  /// State of the panels of one worker.
  struct Panels {
    Vector steps_left{0};        ///< in the current panel
    Vector chunk_steps_left{0};  ///< in the current chunk
    Vector steps{0};             ///< steps per panel
    Vector columns{0};           ///< columns per panel
    Vector c_s{0};               ///< transfer time of a chunk of C
  };

  Vector step_end_s(std::size_t i) const {
    const auto& worker = clock_.workers[i];
    const Vector end_s = worker.step_end_s(clock_.communication_end_s);
    if (!counts_c_) return end_s;
    return where(
        panels_[i].chunk_steps_left == Vector(0),
        max(clock_.communication_end_s, worker.ready_s) + panels_[i].c_s + worker.communication_s,
        end_s);
  }

  void plan_step(const Vector& chosen) {
    Vector planned_s = clock_.communication_end_s;
    Vector columns_left = columns_left_;
    for_each_chosen(chosen, panels_.size(), [&](std::size_t i, const auto& mask) {
      const Vector end_s = step_end_s(i);
      auto& worker = clock_.workers[i];
      planned_s = where(mask, end_s, planned_s);
      worker.ready_s = where(mask, end_s + worker.computation_s, worker.ready_s);
      Panels& panels = panels_[i];
      const auto starts_panel = panels.steps_left == Vector(0);
      columns_left =
          where(mask, columns_left - where(starts_panel, panels.columns, 0), columns_left);
      panels.steps_left =
          where(mask, where(starts_panel, panels.steps, panels.steps_left) - 1, panels.steps_left);
      if (!counts_c_) return;
      const auto starts_chunk = panels.chunk_steps_left == Vector(0);
      panels.chunk_steps_left =
          where(mask, where(starts_chunk, chunk_steps_, panels.chunk_steps_left) - 1,
                panels.chunk_steps_left);
    });
    columns_left_ = columns_left;
    clock_.communication_end_s = planned_s;
  }

  std::span<const UnplannedInstance> instances_;
  bool counts_c_;
  VectorPlanningClock<Vector> clock_;
  Vector chunk_steps_{0};
  std::vector<Panels> panels_;
  Vector columns_left_{0};  ///< columns not planned; below 0 if the last panel is narrower
};

/// Plans with the ends of all workers' next steps in an index, in O(log p) per step.
class IndexedMinMin {
 public:
  IndexedMinMin(const std::vector<StepCosts>& costs, const Problem& problem)
      : costs_(costs),
        clock_(costs),
        columns_left_(problem.s),
        steps_left_(costs.size(), 0),
        finishes_(costs.size()) {
    for (std::size_t i = 0; i < costs.size(); ++i) update(i);
  }

  StepOrder plan() {
    StepOrder order;
    while (finishes_.least() != StepEnds::kNever) {
      const std::size_t i = choose();
      if (steps_left_[i] == 0) start_panel(i);
      --steps_left_[i];
      clock_.plan_step(i);
      finishes_.advance(clock_.communication_end_s);
      update(i);
      order.push_back(costs_[i].worker);
    }
    return order;
  }

 private:
  bool is_candidate(std::size_t i) const { return steps_left_[i] > 0 || columns_left_ > 0; }

  void update(std::size_t i) {
    const auto& worker = clock_.workers[i];
    if (is_candidate(i)) {
      finishes_.set(i, worker.communication_s, worker.ready_s, worker.computation_s);
    } else {
      finishes_.withdraw(i);
    }
  }

  void start_panel(std::size_t i) {
    steps_left_[i] = costs_[i].panel_steps;
    columns_left_ -= costs_[i].mu;
    if (columns_left_ > 0 || columns_left_ + costs_[i].mu <= 0) return;
    for (std::size_t j = 0; j < costs_.size(); ++j) {  // once, when the last columns are taken
      if (!is_candidate(j)) finishes_.withdraw(j);
    }
  }

  std::size_t choose() const {
    return scanned_least(
        finishes_.least(), finishes_.size(),
        [this](std::size_t from, double bound) {
          return finishes_.first(from, [&](double finish_s) { return finish_s <= bound; });
        },
        [this](std::size_t i) {
          return clock_.step_end_s(clock_.workers[i]) + clock_.workers[i].computation_s;
        });
  }

  const std::vector<StepCosts>& costs_;
  PlanningClock clock_;
  std::int64_t columns_left_;  ///< columns not planned; below 0 if the last panel is narrower
  std::vector<std::int64_t> steps_left_;  ///< in the current panel of each worker
  StepEnds finishes_;
};

/// Number of workers from which on the index is faster than a scan (measured).
constexpr std::size_t kWorkersToIndex = 64;

}  // namespace

StepOrder min_min_by_ends(const std::vector<StepCosts>& costs, const Problem& problem) {
  return IndexedMinMin(costs, problem).plan();
}

std::vector<StepOrder> min_min_in_lanes(std::span<const UnplannedInstance> instances,
                                        const MinMinParameters& parameters, std::size_t max_lanes) {
  std::vector<StepOrder> orders(instances.size());
  const auto is_alike = [&](std::size_t n, std::size_t other) {
    return instances[n].costs->size() == instances[other].costs->size();
  };
  for_each_alike_range(
      instances.size(), max_lanes, is_alike,
      [&]<class Vector>(std::size_t first, std::size_t count) {
        VectorMinMin<Vector> min_min(instances.subspan(first, count), parameters);
        plan_in_lanes(min_min, count, [&](std::size_t n, double chosen) {
          if (chosen < 0) return false;  // no column is left
          orders[first + n].push_back(
              (*instances[first + n].costs)[static_cast<std::size_t>(chosen)].worker);
          return true;
        });
      });
  return orders;
}

std::vector<Plan> plan_min_min_batch(const MinMinParameters& parameters,
                                     std::span<const Instance> instances) {
  std::vector<std::vector<StepCosts>> costs;
  for (const auto& [platform, problem] : instances) {
    costs.push_back(compute_step_costs(*platform, *problem, kOptimizedOverlapped));
  }
  const bool are_few = std::ranges::all_of(
      costs, [](const auto& of_instance) { return of_instance.size() < kWorkersToIndex; });
  std::vector<StepOrder> orders;
  if (instances.size() > 1 && (are_few || parameters.counts_c)) {
    std::vector<UnplannedInstance> unplanned;
    for (std::size_t n = 0; n < costs.size(); ++n) {
      unplanned.push_back({&costs[n], instances[n].problem});
    }
    orders = min_min_in_lanes(unplanned, parameters);
  } else {
    for (std::size_t n = 0; n < costs.size(); ++n) {
      const Problem& problem = *instances[n].problem;
      const bool is_scan_faster = costs[n].size() < kWorkersToIndex || parameters.counts_c;
      orders.push_back(is_scan_faster ? min_min_order(costs[n], problem, parameters)
                                      : min_min_by_ends(costs[n], problem));
    }
  }
  std::vector<Plan> plans;
  for (std::size_t n = 0; n < orders.size(); ++n) {
    const auto& [platform, problem] = instances[n];
    plans.push_back({.dispatcher = make_order_dispatcher(std::move(orders[n]), *platform, *problem,
                                                         kOptimizedOverlapped)});
  }
  return plans;
}

}  // namespace starport::fast
