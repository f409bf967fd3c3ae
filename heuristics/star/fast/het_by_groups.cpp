#include "heuristics/star/fast/het_by_groups.hpp"

#include "heuristics/star/fast/large_platforms.hpp"

#include <algorithm>
#include <cstdint>

namespace starport::fast {
namespace {

/// Het's incremental selection by groups of workers. Of the idle workers of a group (e_i = a_i),
/// the one of least a_i has the least cost. Busy workers are taken out of their queues and looked
/// at one by one once they are ready early enough for the cost of the best choice known.
class GroupSelector : GroupCosts {
 public:
  GroupSelector(const Variant& variant, const std::vector<StepCosts>& costs)
      : GroupCosts(variant, costs),
        slack_by_size_(sides_.size() + 1),
        sizes_per_work_(static_cast<double>(sides_.size()) / largest_work_),
        searched_(groups_.size()) {
    for (const GroupedWorker& worker : workers_) {
      Side& side = sides_[worker.side];
      side.twice_s = std::min(side.twice_s, worker.later_s + second_step_s(worker));
      twice_s_ = std::min(twice_s_, side.twice_s);
    }
  }

  /// Plans the step of least cost, and returns its worker.
  std::size_t choose() {
    const std::size_t i = find_best();
    serve(i);
    add_to_past(workers_[i]);
    if (has_twice_index_) update_twice(workers_[i]);
    return i;
  }

 private:
  /// Takes out of their queues all workers whose step, alone or as the second of a pair, may cost
  /// at most `cost`. Returns true if there were any.
  bool pop_busy_up_to(double cost) {
    if (cost <= taken_cost_ || cost == kNever) return false;  // kNever: a single worker has no pair
    taken_cost_ = cost;
    const double second_work = variant_.look_ahead ? largest_work_ : 0;
    const double until_s = now_s_ + end_s(second_work, cost);
    const std::size_t before = nearly_ready_.size();
    for (std::size_t side = 0; side < first_ready_s_.size(); ++side) {
      const double latest_s = until_s + cost * groups_.work[side];
      if (first_ready_s_[side] <= latest_s) pop_busy(side, latest_s);
    }
    return nearly_ready_.size() > before;
  }

  /// Returns the least cost of a step of an idle worker.
  double least_idle_step() const {
    double least = kNever;
    for (std::size_t n = 0; n < groups_.size(); ++n) {
      least = std::min(least, cost(groups_.work[n], groups_.first_a_s[n]));
    }
    return least;
  }
  /// Returns the least of `least` and the costs of nearly ready workers with index >= `from`.
  double least_step(double least, std::size_t from) const {
    for (std::size_t n = from; n < nearly_ready_.size(); ++n) {
      least = std::min(least, cost(nearly_ready_[n].work, step_end_s(nearly_ready_[n])));
    }
    return least;
  }

  /// Returns the least cost of a pair of idle workers, by iteration: the two workers of largest
  /// slack at the cost of some pair form a cheaper pair, unless that one is the cheapest.
  double least_idle_pair() {
    double least = kNever;
    cheapest_ = {kNobody, kNobody};
    for (double guess = last_cost_;;) {
      seconds_ = seconds(guess);
      const auto [group, next_group] = std::pair(seconds_.group, seconds_.next_group);
      guess = cost(groups_.work[group] + groups_.work[next_group],
                   groups_.first_a_s[group] + groups_.a_s(next_group, group));
      if (!is_less(guess, least)) break;
      least = guess;
      cheapest_ = {groups_.first[group], groups_.first[next_group]};
      if (group == next_group) cheapest_[1] = kNobody;
    }
    if (least == kNever) seconds_.slack_s = kNever;  // any pair is better
    return least;
  }
  /// Returns the least of `least` and the costs of pairs with a nearly ready worker of index >=
  /// `from`.
  double least_pair(double least, std::size_t from) {
    if (from == nearly_ready_.size()) return least;
    seconds_.max_slack_s = max_slack_s(seconds_);
    if (from == 0) update_slack_by_size();
    for (std::size_t n = 0; n < nearly_ready_.size(); ++n) {
      const NearlyReady& worker = nearly_ready_[n];
      const double before = least;
      const double worker_end_s = step_end_s(worker);
      // With an idle worker second the pair ends later than with that one first (below).
      if (worker_end_s <= end_s(worker.work, least) + seconds_.max_slack_s) {
        least = cost_with_nearly_ready(worker.worker, worker.work, worker_end_s, least,
                                       n < from ? from : 0);
      }
      if (least < before) cheapest_ = {worker.worker, kNobody};
      if (n < from || !may_follow_idle(worker, least)) continue;
      const double cost = cost_after_idle(worker, least);
      if (cost < least) cheapest_ = {kNobody, kNobody};
      least = cost;
    }
    return least;
  }
  /// Sets slack_by_size_ from the idle workers.
  void update_slack_by_size() {
    std::ranges::fill(slack_by_size_, seconds_.slack_s == kNever ? kNever : -kNever);
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      const double work = groups_.work[number];
      double& slack_s = slack_by_size_[static_cast<std::size_t>(work * sizes_per_work_)];
      slack_s = std::max(slack_s, seconds_.cost * work - groups_.first_a_s[number]);
    }
    for (std::size_t size = slack_by_size_.size() - 1; size-- > 0;) {
      slack_by_size_[size] = std::max(slack_by_size_[size], slack_by_size_[size + 1]);
    }
  }
  /// Returns true if there may be an idle worker whose step is large enough, with enough slack, for
  /// a pair with `second` that costs less than `cost`.
  bool may_follow_idle(const NearlyReady& second, double cost) const {
    const double alone_s = end_s(second.work, cost);
    if (second.a_s > alone_s + seconds_.slack_s) return false;
    const double size =
        std::max(0.0, (from_now(second.ready_s) - alone_s) / cost * sizes_per_work_);
    return size < static_cast<double>(slack_by_size_.size()) &&
           second.a_s <= alone_s + slack_by_size_[static_cast<std::size_t>(size)];
  }

  /// Returns the least cost of a choice.
  double least_cost() {
    taken_cost_ = -kNever;
    while (idle_count_ + nearly_ready_.size() < std::min<std::size_t>(workers_.size(), 2))
      pop_first_busy();
    double least = variant_.look_ahead ? least_idle_pair() : least_idle_step();
    std::size_t from = 0;
    do {
      least = variant_.look_ahead ? least_pair(least, from) : least_step(least, from);
      from = nearly_ready_.size();
    } while (pop_busy_up_to(least * (1 + 4 * kRelativeTolerance)));
    const double twice = least_twice_cost(least);
    if (twice < least) cheapest_ = {kNobody, kNobody};
    return twice;
  }

  /// Returns true if no two steps on one worker cost at most `cost`.
  bool excludes_twice(double cost) const {
    return !variant_.look_ahead || twice_s_ > end_s(2 * largest_work_, cost);
  }
  /// Returns true if two steps on a worker of `side` may cost at most `cost`; then side.twice is
  /// set.
  bool may_serve_twice(Side& side, double cost) {
    if (side.twice_s > end_s(2 * side.work, cost)) return false;
    if (side.twice) return true;
    has_twice_index_ = true;
    side.twice.emplace(side.workers.size());
    side.twice->advance(now_s_);
    for (const std::int32_t i : side.workers) set_twice(workers_[i]);
    return true;
  }
  void set_twice(const GroupedWorker& worker) {
    sides_[worker.side].twice->set(worker.slot, worker.communication_s, worker.ready_s,
                                   second_step_s(worker));
  }
  /// Updates the ends of two steps on one worker after `served` was served.
  void update_twice(const GroupedWorker& served) {
    for (Side& side : sides_) {
      if (side.twice) side.twice->advance(now_s_);
    }
    if (sides_[served.side].twice) set_twice(served);
  }
  /// Returns the least of `limit` and the costs of two steps on one worker.
  double least_twice_cost(double limit) {
    if (excludes_twice(limit)) return limit;
    for (Side& side : sides_) {
      if (!may_serve_twice(side, limit)) continue;
      limit = std::min(limit, cost(2 * side.work, from_now(side.twice->least())));
    }
    return limit;
  }
  /// Returns the first worker from `from` on whose next two steps cost at most `bound`; the number
  /// of workers if there is none.
  std::size_t first_twice(std::size_t from, double bound) {
    std::size_t first = workers_.size();
    if (excludes_twice(bound)) return first;
    for (Side& side : sides_) {
      if (!may_serve_twice(side, bound)) continue;
      const std::size_t slot = side.twice->first(slot_from(side, from), [&](double date_s) {
        return cost(2 * side.work, from_now(date_s)) <= bound;
      });
      first = std::min(first, worker_of(side, slot));
    }
    return first;
  }

  /// Returns the first worker from `from` on that costs at most `bound`; the number of workers if
  /// there is none.
  std::size_t first(std::size_t from, double bound) {
    pop_busy_up_to(bound);
    const Seconds seconds = variant_.look_ahead ? this->seconds(bound) : Seconds{.cost = bound};
    if (variant_.look_ahead) find_good_seconds(seconds);
    std::size_t first = workers_.size();
    for (std::size_t n = 0; n < groups_.size(); ++n) {
      if (groups_.first_a_s[n] > end_s(groups_.work[n], bound) + seconds.max_slack_s) continue;
      first = std::min(first, first_idle(n, seconds, from));
    }
    for (const NearlyReady& worker : nearly_ready_) {
      const auto i = static_cast<std::size_t>(worker.worker);
      if (i < from || i >= first) continue;
      if (step_end_s(worker) > end_s(worker.work, bound) + seconds.max_slack_s) continue;
      if (step_end_s(worker) <= latest_s(seconds, worker.work, worker.worker)) first = i;
    }
    return std::min(first, first_twice(from, bound));
  }
  /// Returns the slot of the first worker of a side with index >= `from`.
  static std::size_t slot_from(const Side& side, std::size_t from) {
    if (from == 0) return 0;
    const auto begin = side.workers.begin();
    return static_cast<std::size_t>(
        std::ranges::lower_bound(side.workers, static_cast<std::int32_t>(from)) - begin);
  }
  /// Returns the worker in a slot of a side; the number of workers for the slot behind the last.
  std::size_t worker_of(const Side& side, std::size_t slot) const {
    return slot < side.workers.size() ? side.workers[slot] : workers_.size();
  }
  /// Returns the first idle worker of a group from `from` on that costs at most `seconds.cost`; the
  /// number of workers if there is none. Continues where the previous search of this choice ended.
  std::size_t first_idle(std::size_t number, const Seconds& seconds, std::size_t from) {
    const double first_a_s = groups_.first_a_s[number];
    const double work = groups_.work[number];
    const auto first = static_cast<std::size_t>(groups_.first[number]);
    const double latest_s = this->latest_s(seconds, work, kNobody);
    if (first_a_s > latest_s) return workers_.size();
    const bool is_first_wanted = !variant_.look_ahead || number != seconds.group ||
                                 first_a_s <= this->latest_s(seconds, work, groups_.first[number]);
    if (groups_.second_a_s[number] > latest_s) {
      return is_first_wanted && first >= from ? first : workers_.size();
    }
    std::size_t slot = from == 0 ? 0 : searched_[number];
    for (;; ++slot) {
      slot = idle_[number].first(slot, [&](double a_s) { return a_s <= latest_s; });
      const std::size_t i = worker_of(side_of_group(number), slot);
      if (i < from || (i == first && !is_first_wanted)) continue;
      searched_[number] = slot;
      return i;
    }
  }

  /// Returns the worker that the definition chooses.
  std::size_t find_best() {
    last_cost_ = least_cost();
    return scanned_least(
        last_cost_, workers_.size(),
        [this](std::size_t from, double bound) { return first(from, bound); },
        [this](std::size_t i) { return cost_of(i); });
  }

  double taken_cost_ = 0;         ///< cost up to which busy workers have been taken out
  double twice_s_ = kNever;       ///< least duration of two steps on one worker
  bool has_twice_index_ = false;  ///< Side::twice is set for some side
  std::vector<double>
      slack_by_size_;      ///< largest slack of an idle worker by size of its step, or larger
  double sizes_per_work_;  ///< maps the work of a step to an index of slack_by_size_
  std::vector<std::size_t> searched_;  ///< by group: slot where the last search ended
};

}  // namespace

std::vector<PanelOrder> select_by_groups(std::span<const Selection> selections) {
  std::vector<PanelOrder> orders;
  for (const auto& [variant, costs, problem, limit_s] : selections) {
    PanelOrder& order = orders.emplace_back(*costs, *problem, limit_s);
    GroupSelector selector(variant, *costs);
    while (order.is_open()) order.add(selector.choose());
  }
  return orders;
}

}  // namespace starport::fast
