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

/// Calls visit(i, mask) for each i in [0, size), where `mask` tells in which lanes `chosen` equals
/// i. `chosen` holds one number per lane; one outside the range, such as -1, matches no i.
template <class Vector, class Visit>
void for_each_chosen(const Vector& chosen, std::size_t size, Visit&& visit) {
  Vector index = 0;
  for (std::size_t i = 0; i < size; ++i, index = index + 1) visit(i, chosen == index);
}

/// PlanningClock (the planned state of all workers) for several plans at once: each lane of the
/// SIMD vectors holds one plan, and all plans have the same number of workers. Dates are in
/// seconds.
template <class Vector>
struct VectorPlanningClock {
  /// Planned state of the i-th worker of each plan, by the simplified dates of CoarsePlannedWorker:
  /// a step is received no earlier than the end of the previous update. Times in seconds, one per
  /// lane.
  struct Worker {
    /// Returns the dates, in seconds and one per lane, at which the worker's next step would be
    /// received if the port were free from `from_s` on.
    Vector step_end_s(const Vector& from_s) const { return max(from_s + communication_s, ready_s); }
    /// Returns the dates, in seconds and one per lane, at which a second step would be received if
    /// the next one were received at `end_s` and the second followed at once.
    Vector second_step_end_s(const Vector& end_s) const {
      return end_s + max(later_s, computation_s);
    }

    /// Number of block updates of a step, one per lane.
    Vector updates{0};
    /// Transfer time of the worker's next step, in seconds, one per lane.
    Vector communication_s{0};
    /// Transfer time of each step after the next, in seconds, one per lane.
    Vector later_s{0};
    /// Computation time of a step, in seconds, one per lane.
    Vector computation_s{0};
    /// Date at which all work planned on the worker ends, in seconds, one per lane.
    Vector ready_s{0};
  };

  /// Creates empty plans for `p` workers each, with all costs 0. Call start() for each lane.
  explicit VectorPlanningClock(std::size_t p) : workers(p) {}

  /// Starts a new plan in `lane` (from 0) for workers with these costs, at most as many as the
  /// constructor was given (not checked). `counts_c`: the first step of a worker also moves its
  /// chunk of C.
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
  /// Moves the origin of time of each plan, i.e. subtracts its lane of `origin_s` (seconds) from
  /// its dates.
  void rebase(const Vector& origin_s) {
    for (Worker& worker : workers) worker.ready_s = worker.ready_s - origin_s;
    communication_end_s = communication_end_s - origin_s;
  }

  /// Planned state of each worker, in the order of the costs.
  std::vector<Worker> workers;
  /// Date at which the last planned communication of each plan ends, in seconds.
  Vector communication_end_s{0};
};

/// Cuts the indices [0, size) into maximal ranges in which is_alike(first, other) holds for the
/// first index and each other one, and calls work.operator()<Vector>(first, count) for each range
/// in ascending order. `Vector` has at least min(count, max_lanes, widest_vector()) lanes (at least
/// 2), as few as the processor offers. Does nothing if `size` is 0.
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

/// Makes `size` > 0 plans, numbered from 0, step by step in the lanes of `planner`; a lane whose
/// plan is complete continues with the next plan. planner.start(lane, n) starts plan n in a lane;
/// then add(n, chosen) is called with the lane's element of each planner.choose() until it returns
/// false, which ends plan n. Undefined if `size` is 0; spare lanes compute a plan whose results are
/// not used.
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
