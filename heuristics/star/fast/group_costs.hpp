// The cost of steps and pairs of steps in Het's selection by groups.
#pragma once

#include "heuristics/star/fast/grouped_workers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace starport::fast {

/// Base class of Het's selection by groups: computes the cost of the next step, or of the next pair
/// of steps, on each worker. Everything is protected; the costs and the order passed to the
/// constructor must outlive it.
///
/// Dates are in seconds relative to T, the end of the last communication: the next step of worker i
/// ends at e_i = max(a_i, ready_i - T), and one on worker j after it at max(e_i + a_j, ready_j -
/// T). The cost is the inverse of the paper's ratio, in seconds per block update; the least wins. A
/// pair costs at most c if its first step ends no later than the first step alone may at cost c,
/// plus the slack of the second: c w_j - a_j, where w_j is its work, if j is idle.
class GroupCosts : protected GroupedWorkers {
 protected:
  GroupCosts(const Variant& variant, const std::vector<StepCosts>& costs, const PanelOrder& order)
      : GroupedWorkers(costs, variant.count_c, order), variant_(variant) {
    for (const Side& side : sides_) largest_work_ = std::max(largest_work_, side.work);
  }

  /// Adds a step that was just planned to the past, which counts for the global ratio only.
  void add_to_past(const GroupedWorker& served) {
    if (variant_.local) return;
    past_s_ = now_s_;
    achieved_ += served.updates;
  }

  /// Returns the cost of steps of `work` block updates, the last of which ends at `end_s`. Global:
  /// end of the last communication / all work planned. Local: the time that these steps add / their
  /// work.
  double cost(double work, double end_s) const { return (past_s_ + end_s) / (achieved_ + work); }
  /// Returns when steps of `work` end if they cost `cost`; the inverse of cost().
  double end_s(double work, double cost) const { return cost * (achieved_ + work) - past_s_; }
  /// Returns true if `cost` is less by more than rounding errors.
  static bool is_less(double cost, double other) { return cost < other * (1 - 0x1p-40); }

  /// Returns e_i, when the next step of a worker would end.
  double step_end_s(const GroupedWorker& worker) const {
    return std::max(worker.communication_s, from_now(worker.ready_s));
  }
  double step_end_s(const NearlyReady& worker) const {
    return std::max(worker.a_s, from_now(worker.ready_s));
  }
  /// Returns the time from the end of a worker's next step to the end of another one right after
  /// it.
  static double second_step_s(const GroupedWorker& worker) {
    return std::max(worker.later_s, worker.computation_s);
  }

  /// Groups of the two idle workers of largest slack; may be the same group.
  struct TwoGroups {
    std::size_t group = 0;
    std::size_t next_group = 0;
  };
  /// Returns the groups of the two idle workers of largest slack at `cost`.
  TwoGroups two_groups(double cost) const {
    TwoGroups two;
    double least_s = kNever;
    double next_s = kNever;
    for (std::size_t n = 0; n < groups_.size(); ++n) {
      const double negative_slack_s = groups_.first_a_s[n] - cost * groups_.work[n];
      if (negative_slack_s < least_s) {
        next_s = std::exchange(least_s, negative_slack_s);
        two.next_group = std::exchange(two.group, n);
      } else if (negative_slack_s < next_s) {
        next_s = negative_slack_s;
        two.next_group = n;
      }
    }
    if (groups_.second_a_s[two.group] - cost * groups_.work[two.group] < next_s) {
      two.next_group = two.group;
    }
    return two;
  }

  /// The second steps of pairs of a given cost: how much later than alone a first step may end.
  struct Seconds : TwoGroups {
    double cost = 0;
    double slack_s = 0;       ///< largest slack of an idle worker
    double next_slack_s = 0;  ///< largest slack of the other idle workers
    double max_slack_s = 0;   ///< upper bound on the slack of any worker
  };
  /// Returns the second steps for pairs of cost `cost`.
  Seconds seconds(double cost) const {
    Seconds best{two_groups(cost), cost};
    best.slack_s = cost * groups_.work[best.group] - groups_.first_a_s[best.group];
    best.next_slack_s =
        cost * groups_.work[best.next_group] - groups_.a_s(best.next_group, best.group);
    best.max_slack_s = max_slack_s(best);
    return best;
  }
  double max_slack_s(const Seconds& seconds) const {
    double max_s = seconds.slack_s;
    for (const NearlyReady& second : nearly_ready_) {
      max_s = std::max(max_s, seconds.cost * second.work - second.a_s);
    }
    return max_s;
  }

  /// Sets good_ to the nearly ready workers that have more slack than some idle worker.
  void find_good_seconds(const Seconds& seconds) {
    good_seconds_.clear();
    for (const NearlyReady& second : nearly_ready_) {
      const double worth_s = seconds.cost * second.work;
      const GoodSecond good{worth_s - second.a_s, from_now(second.ready_s) - worth_s,
                            second.worker};
      if (good.slack_s > seconds.next_slack_s) good_seconds_.push_back(good);
    }
  }

  /// Returns the latest end of a step of `work` on `worker` that costs no more than `seconds.cost`,
  /// alone or in a pair. kNobody stands for an idle worker that is not first in its group.
  double latest_s(const Seconds& seconds, double work, std::int32_t worker) const {
    const double alone_s = end_s(work, seconds.cost);
    if (!variant_.look_ahead) return alone_s;
    double slack_s =
        worker == groups_.first[seconds.group] ? seconds.next_slack_s : seconds.slack_s;
    for (const GoodSecond& second : good_seconds_) {
      if (second.slack_s <= slack_s || second.wait_s > alone_s || second.worker == worker) continue;
      slack_s = second.slack_s;
    }
    return alone_s + slack_s;
  }

  /// Returns the cost of worker `i`: of its next step, or with look-ahead of the best pair it
  /// starts.
  double cost_of(std::size_t i) const {
    const GroupedWorker& worker = workers_[i];
    const double end_s = step_end_s(worker);
    if (!variant_.look_ahead) return cost(worker.updates, end_s);
    const auto first = static_cast<std::int32_t>(i);
    if (first == cheapest_[0] || first == cheapest_[1]) return last_cost_;
    const std::size_t group = group_of(worker);
    const double twice = cost(2 * worker.updates, end_s + second_step_s(worker));
    const double least = cost_with_idle(groups_.first[group] == first ? group : groups_.size(),
                                        worker.updates, end_s, twice);
    return cost_with_nearly_ready(first, worker.updates, end_s, least);
  }

  /// Returns the least cost of a pair of a first step of `work` that ends at `end_s` and a step of
  /// an idle worker, not the first of group `taken`; `limit` if none costs less.
  double cost_with_idle(std::size_t taken, double work, double end_s, double limit) const {
    std::size_t group = seconds_.group == taken ? seconds_.next_group : seconds_.group;
    for (bool is_repeated = false;; is_repeated = true) {
      const double pair_cost = cost(work + groups_.work[group], end_s + groups_.a_s(group, taken));
      if (is_repeated && !is_less(pair_cost, limit)) return std::min(pair_cost, limit);
      limit = std::min(pair_cost, limit);
      if (limit == kNever) return limit;
      const TwoGroups two = two_groups(limit);
      group = two.group == taken ? two.next_group : two.group;
    }
  }
  /// Returns the least cost of a pair whose second step is of a nearly ready worker other than
  /// `first`, with index >= `from`; `limit` if none costs less.
  double cost_with_nearly_ready(std::int32_t first, double work, double end_s, double limit,
                                std::size_t from = 0) const {
    for (std::size_t n = from; n < nearly_ready_.size(); ++n) {
      const NearlyReady& second = nearly_ready_[n];
      if (second.worker == first) continue;
      const double pair_end_s = std::max(end_s + second.a_s, from_now(second.ready_s));
      limit = lesser_cost(work + second.work, pair_end_s, limit);
    }
    return limit;
  }
  /// Returns the least cost of a pair of a step of an idle worker and one of `second`; `limit` if
  /// none costs less.
  double cost_after_idle(const NearlyReady& second, double limit) const {
    const double ready_s = from_now(second.ready_s);
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      const double end_s = std::max(groups_.first_a_s[number] + second.a_s, ready_s);
      limit = lesser_cost(groups_.work[number] + second.work, end_s, limit);
    }
    return limit;
  }
  /// Returns the lesser of cost(work, end_s) and `limit`, dividing only if needed.
  double lesser_cost(double work, double end_s, double limit) const {
    return past_s_ + end_s < limit * (achieved_ + work) ? cost(work, end_s) : limit;
  }

  /// A nearly ready worker as the second of a pair.
  struct GoodSecond {
    double slack_s;  ///< its slack if the first step ends late enough
    double wait_s;   ///< least end, alone, of a first step for which that holds
    std::int32_t worker;
  };

  Variant variant_;
  double largest_work_ = 0;  ///< of a step of the largest side
  double past_s_ = 0;        ///< time before T that counts
  double achieved_ = 0;      ///< work planned before T that counts
  Seconds seconds_;          ///< second steps at the least cost of a pair of idle workers
  double last_cost_ = 0;     ///< least cost; during a choice, of the previous one
  std::vector<GoodSecond> good_seconds_;    ///< at the cost that is searched for
  std::array<std::int32_t, 2> cheapest_{};  ///< workers that have the least cost, with look-ahead
};

}  // namespace starport::fast
