#include "heuristics/star/min_min.hpp"

#include "heuristics/star/fast/for_many.hpp"
#include "sim/platform/ties.hpp"

#include <algorithm>
#include <bit>

namespace starport {

namespace {

/// Plans in each lane the order of an instance, all with as many workers.
template <class Number>
class MinMin {
 public:
  MinMin(std::span<const Unplanned> instances, const MinMinParameters& parameters)
      : instances_(instances),
        count_c_(parameters.count_c),
        clock_(instances[0].costs->size()),
        panels_(instances[0].costs->size()) {}

  void begin(std::size_t lane, std::size_t n) {
    const auto& [costs, problem] = instances_[n];
    clock_.begin(lane, *costs, false);
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      const StepCosts& cost = (*costs)[i];
      lane_of(panels_[i].steps_left, lane) = 0;
      lane_of(panels_[i].chunk_left, lane) = 0;
      lane_of(panels_[i].steps, lane) = static_cast<double>(cost.panel_steps);
      lane_of(panels_[i].columns, lane) = static_cast<double>(cost.mu);
      lane_of(panels_[i].c_s, lane) = cost.c_s;
    }
    lane_of(chunk_steps_, lane) = static_cast<double>(problem->t);
    lane_of(columns_left_, lane) = static_cast<double>(problem->s);
  }

  /// Plans a step; the number of its worker, or kNobody where no column is left.
  Number choose() {
    Number first = kNobody;
    Number first_s = kNever;
    Number number = 0;
    for (std::size_t i = 0; i < panels_.size(); ++i, number = number + 1) {
      const auto candidate = Number(0) < max(panels_[i].steps_left, columns_left_);
      const Number finish_s = end_s(i) + clock_.workers[i].computation_s;
      const auto better = clearly_less(where(candidate, finish_s, kNever), first_s);
      first = where(better, number, first);
      first_s = where(better, finish_s, first_s);
    }
    plan(first);
    return first;
  }
  static constexpr double kNobody = -1;

 private:
  static constexpr double kNever = 1e300;

  struct Panels {
    Number steps_left{0};  ///< in the one begun
    Number chunk_left{0};  ///< steps, in the chunk begun
    Number steps{0};       ///< of each panel
    Number columns{0};     ///< of each panel
    Number c_s{0};         ///< to send a chunk of C
  };

  /// When the worker would have received its next step.
  Number end_s(std::size_t i) const {
    const auto& worker = clock_.workers[i];
    const Number end_s = clock_.end_s(worker);
    if (!count_c_) return end_s;
    return where(
        panels_[i].chunk_left == Number(0),
        max(clock_.communication_end_s, worker.ready_s) + panels_[i].c_s + worker.communication_s,
        end_s);
  }

  void plan(const Number& chosen) {
    Number planned_s = clock_.communication_end_s;
    Number columns_left = columns_left_;
    for_chosen(chosen, panels_.size(), [&](std::size_t i, const auto& here) {
      const Number end = end_s(i);
      auto& worker = clock_.workers[i];
      planned_s = where(here, end, planned_s);
      worker.ready_s = where(here, end + worker.computation_s, worker.ready_s);
      Panels& panels = panels_[i];
      const auto begins = panels.steps_left == Number(0);
      columns_left = where(here, columns_left - where(begins, panels.columns, 0), columns_left);
      panels.steps_left =
          where(here, where(begins, panels.steps, panels.steps_left) - 1, panels.steps_left);
      if (!count_c_) return;
      const auto begins_chunk = panels.chunk_left == Number(0);
      panels.chunk_left =
          where(here, where(begins_chunk, chunk_steps_, panels.chunk_left) - 1, panels.chunk_left);
    });
    columns_left_ = columns_left;
    clock_.communication_end_s = planned_s;
  }

  std::span<const Unplanned> instances_;
  bool count_c_;
  PlanningClock<Number> clock_;
  Number chunk_steps_{0};
  std::vector<Panels> panels_;
  Number columns_left_{0};  ///< not planned; may fall below 0 with the last panel
};

template <class Number>
void plan_together(std::span<const Unplanned> instances, const MinMinParameters& parameters,
                   StepOrder* orders) {
  MinMin<Number> min_min(instances, parameters);
  plan_in_lanes(min_min, instances.size(), [&](std::size_t n, double chosen) {
    if (chosen < 0) return false;  // nobody
    orders[n].push_back((*instances[n].costs)[static_cast<std::size_t>(chosen)].worker);
    return true;
  });
}

}  // namespace

std::vector<StepOrder> min_min_orders(std::span<const Unplanned> instances,
                                      const MinMinParameters& parameters, std::size_t at_once) {
  std::vector<StepOrder> orders(instances.size());
  const auto alike = [&](std::size_t n, std::size_t other) {
    return instances[n].costs->size() == instances[other].costs->size();
  };
  for_neighbours(
      instances.size(), at_once, alike, [&]<class Number>(std::size_t first, std::size_t count) {
        plan_together<Number>(instances.subspan(first, count), parameters, &orders[first]);
      });
  return orders;
}

namespace {

/// From so many workers on, their ends are kept in order (experiments/benchmark/findings.md).
constexpr std::size_t kWorkersToIndex = 64;

}  // namespace

std::vector<Plan> plan_min_min_each(const MinMinParameters& parameters,
                                    std::span<const Instance> instances) {
  std::vector<std::vector<StepCosts>> costs;
  for (const auto& [platform, problem] : instances) {
    costs.push_back(step_costs(*platform, *problem, kOptimizedOverlapped));
  }
  std::vector<Unplanned> unplanned;
  for (std::size_t n = 0; n < costs.size(); ++n) {
    unplanned.push_back({&costs[n], instances[n].problem});
  }
  const bool few = std::ranges::all_of(
      costs, [](const auto& of_one) { return of_one.size() < kWorkersToIndex; });
  std::vector<StepOrder> orders;
  if (few || parameters.count_c) {
    orders = min_min_orders(unplanned, parameters);
  } else {
    for (const auto& [of_one, problem] : unplanned) {
      orders.push_back(fast::min_min_by_ends(*of_one, *problem));
    }
  }
  std::vector<Plan> plans;
  for (std::size_t n = 0; n < orders.size(); ++n) {
    const auto& [platform, problem] = instances[n];
    plans.push_back(
        {.dispatcher = run_order(std::move(orders[n]), *platform, *problem, kOptimizedOverlapped)});
  }
  return plans;
}

Plan plan_min_min(const MinMinParameters& parameters, const Platform& platform,
                  const Problem& problem) {
  const Instance instance{&platform, &problem};
  return std::move(plan_min_min_each(parameters, {&instance, 1}).front());
}

}  // namespace starport
