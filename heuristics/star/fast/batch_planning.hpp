// Plans of several instances computed at once, one in each lane of SIMD vectors.
#pragma once

#include "heuristics/star/fast/simd_lanes.hpp"
#include "heuristics/star/planning.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::fast {

/// Calls visit(i, mask) for each worker i < `size` that `chosen` names in some lane; `mask` tells
/// in which. A negative number names no worker.
template <class Vector, class Visit>
void for_each_chosen(const Vector& chosen, std::size_t size, Visit&& visit) {
  Vector index = 0;
  for (std::size_t i = 0; i < size; ++i, index = index + 1) visit(i, chosen == index);
}

/// PlanningClock in vectors: one plan in each lane, all with as many workers.
template <class Vector>
struct VectorPlanningClock {
  /// CoarsePlannedWorker in vectors.
  struct Worker {
    Vector step_end_s(const Vector& from_s) const { return max(from_s + communication_s, ready_s); }
    Vector second_step_end_s(const Vector& end_s) const {
      return end_s + max(later_s, computation_s);
    }

    Vector updates{0};
    Vector communication_s{0};
    Vector later_s{0};
    Vector computation_s{0};
    Vector ready_s{0};
  };

  explicit VectorPlanningClock(std::size_t p) : workers(p) {}

  /// Starts a new plan in `lane`.
  void start(std::size_t lane, const std::vector<StepCosts>& costs, bool counts_c) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const CoarsePlannedWorker worker(costs[i], counts_c);
      lane_of(workers[i].updates, lane) = worker.updates;
      lane_of(workers[i].communication_s, lane) = worker.communication_s;
      lane_of(workers[i].later_s, lane) = worker.later_s;
      lane_of(workers[i].computation_s, lane) = worker.computation_s;
      lane_of(workers[i].ready_s, lane) = 0;
    }
    lane_of(communication_end_s, lane) = 0;
  }
  /// Subtracts `origin_s` from all dates.
  void rebase(const Vector& origin_s) {
    for (Worker& worker : workers) worker.ready_s = worker.ready_s - origin_s;
    communication_end_s = communication_end_s - origin_s;
  }

  std::vector<Worker> workers;
  Vector communication_end_s{0};
};

/// Calls work.operator()<Vector>(first, count) for each maximal range of consecutive indices below
/// `size` in which is_alike(first, other) holds, with vectors of at most `max_lanes` lanes.
template <class IsAlike, class Work>
void for_each_alike_range(std::size_t size, std::size_t max_lanes, IsAlike&& is_alike,
                          Work&& work) {
  for (std::size_t first = 0; first < size;) {
    std::size_t end = first + 1;
    while (end < size && is_alike(first, end)) ++end;
    const std::size_t count = end - first;
    call_with_lanes(std::min({count, max_lanes, widest_vector()}),
                    [&]<class Vector>() { work.template operator()<Vector>(first, count); });
    first = end;
  }
}

/// Makes `size` > 0 plans in the lanes of `planner`, step by step; a lane whose plan is complete
/// continues with the next one. planner.start(lane, n) starts plan n; then add(n, chosen) is called
/// with the lane's element of each planner.choose(), until it returns false.
template <class Planner, class Add>
void plan_in_lanes(Planner& planner, std::size_t size, Add&& add) {
  constexpr std::size_t idle = SIZE_MAX;
  std::array<std::size_t, kLanes<decltype(planner.choose())>> plans;
  std::size_t next = 0;
  for (std::size_t lane = 0; lane < plans.size(); ++lane) {
    planner.start(lane, std::min(next, size - 1));  // spare lanes compute any plan
    plans[lane] = next < size ? next++ : idle;
  }
  for (std::size_t open = next; open > 0;) {
    const auto chosen = planner.choose();
    for (std::size_t lane = 0; lane < plans.size(); ++lane) {
      if (plans[lane] == idle || add(plans[lane], lane_of(chosen, lane))) continue;
      plans[lane] = next < size ? next++ : idle;
      if (plans[lane] != idle) {
        planner.start(lane, plans[lane]);
      } else {
        --open;
      }
    }
  }
}

}  // namespace starport::fast
