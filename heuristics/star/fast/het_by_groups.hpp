// Het's selection by groups of workers: idle workers by group, busy ones by the date at which they
// are ready, and the cost of steps and pairs of steps.
#pragma once

#include "heuristics/star/fast/step_ends.hpp"
#include "heuristics/star/fast/tournament.hpp"
#include "heuristics/star/het.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace starport::fast {

/// Queue of busy workers that the choice of a worker for the next step need not consider yet,
/// ordered by the date in seconds at which they are ready. Workers are numbers of the caller's
/// choice, e.g. indices in a list of costs.
class BusyQueue {
 public:
  /// Returns the date, in seconds, up to which workers have been removed: that of the last
  /// pop_until(); 0 before the first.
  double taken_until_s() const { return taken_until_s_; }
  /// Returns the earliest date, in seconds, at which a worker in the queue is ready; infinity if
  /// the queue is empty.
  double first_ready_s() const { return queue_.empty() ? kUnknown : queue_.top().first; }

  /// Adds a busy worker (a number of the caller's choice) that is ready at `ready_s` (seconds). A
  /// worker added twice is taken twice.
  void push(double ready_s, std::size_t worker) { queue_.emplace(ready_s, worker); }
  /// Removes all workers from the queue that are ready at `date_s` (seconds) or earlier and calls
  /// take(worker) for each, in the order of their dates, then of their numbers. `take` must not
  /// modify the queue (undefined behaviour).
  template <class Take>
  void pop_until(double date_s, Take&& take) {
    while (!queue_.empty() && queue_.top().first <= date_s) {
      take(queue_.top().second);
      queue_.pop();
    }
    taken_until_s_ = date_s;
  }

 private:
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  double taken_until_s_ = 0;
};

/// Base class of a fast choice of the worker for each step (blocks of A and B for one update) of
/// the heuristic Het, for the derived selector only (everything is protected): the planned workers
/// of one plan, in groups of equal chunk side; if the first step of each worker includes sending
/// its chunk of C (`count_c`), workers not served yet are in groups of their own. a_i is the
/// transfer time of the next step of worker i, in seconds. A worker is busy if a step sent to it
/// now would arrive before its previous update ends; it is then in a queue until it may be ready
/// soon enough to be chosen. Copies what it needs of the costs. Dates are in seconds since the
/// start of the plan.
class GroupedWorkers {
 protected:
  static constexpr std::int32_t kNobody = -1;
  static constexpr double kNever = StepEnds::kNever;

  /// The workers of one chunk side.
  struct Side {
    double work = 0;  ///< block updates of a step
    std::vector<std::int32_t> workers = {};
    double twice_s = kNever;  ///< least duration of two steps on one worker
    /// Ends of two steps on each worker; set once they may be chosen.
    std::optional<StepEnds> twice = {};
  };
  /// Properties of the groups that every choice reads: a group for each side, by size; if C counts,
  /// then a group for the workers of each side that are not served yet.
  struct Groups {
    explicit Groups(std::size_t size)
        : work(size, 0), first_a_s(size, kNever), second_a_s(size, kNever), first(size, kNobody) {}

    std::size_t size() const { return first.size(); }
    /// Returns the least a_i of the idle workers of a group; the second least if `number == taken`.
    double a_s(std::size_t number, std::size_t taken) const {
      return number == taken ? second_a_s[number] : first_a_s[number];
    }

    std::vector<double> work;         ///< block updates of a step
    std::vector<double> first_a_s;    ///< least a_i of the idle workers
    std::vector<double> second_a_s;   ///< second least a_i
    std::vector<std::int32_t> first;  ///< worker of the least a_i, or kNobody
  };
  /// A busy worker that has been taken out of the queue.
  struct NearlyReady {
    double ready_s;
    double a_s;
    double work;
    std::int32_t worker;
  };
  /// A worker and its places in the groups, in one cache line.
  struct alignas(64) GroupedWorker : CoarsePlannedWorker {
    GroupedWorker() = default;
    GroupedWorker(const CoarsePlannedWorker& worker, std::int32_t its_side, std::int32_t its_slot)
        : CoarsePlannedWorker(worker), side(its_side), slot(its_slot) {}

    std::int32_t side = 0;
    std::int32_t slot = 0;                ///< index in Side::workers
    std::int32_t nearly_ready = kNobody;  ///< index in nearly_ready_, or kNobody
  };

  GroupedWorkers(const std::vector<StepCosts>& costs, bool count_c)
      : count_c_(count_c), workers_(costs.size()), idle_count_(costs.size()) {
    std::map<std::int64_t, std::int32_t> numbers;  // index of each side
    for (const StepCosts& cost : costs) numbers[cost.mu] = 0;
    for (auto& [mu, number] : numbers) {
      number = static_cast<std::int32_t>(sides_.size());
      sides_.emplace_back();
    }
    const PlanningClock clock(costs, count_c);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const std::int32_t number = numbers[costs[i].mu];
      Side& side = sides_[number];
      side.work = costs[i].updates;
      workers_[i] = {clock.workers[i], number, static_cast<std::int32_t>(side.workers.size())};
      side.workers.push_back(static_cast<std::int32_t>(i));
    }
    groups_ = Groups(sides_.size() * (count_c ? 2 : 1));
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      groups_.work[number] = side_of_group(number).work;
      idle_.emplace_back(side_of_group(number).workers.size());
    }
    for (const GroupedWorker& worker : workers_) {
      idle_[group_of(worker)].set(worker.slot, worker.communication_s);
    }
    for (std::size_t number = 0; number < groups_.size(); ++number) update_group(number);
    busy_.resize(sides_.size());
    first_ready_s_.assign(sides_.size(), kNever);
  }

  /// Plans a step on worker `i`.
  void serve(std::size_t i) {
    GroupedWorker& worker = workers_[i];
    remove(i);
    now_s_ = worker.step_end_s(now_s_);
    worker.plan_step(now_s_);
    move_ready_to_idle();
    insert(i);
  }

  /// Takes the workers of a side that are ready by `until_s` out of its queue.
  void pop_busy(std::size_t side, double until_s) {
    busy_[side].pop_until(until_s, [this](std::size_t i) { add_nearly_ready(i); });
    first_ready_s_[side] = busy_[side].first_ready_s();
  }
  /// Takes the worker that is ready first, and those ready at the same date, out of its queue.
  void pop_first_busy() {
    const auto first = std::ranges::min_element(first_ready_s_) - first_ready_s_.begin();
    pop_busy(static_cast<std::size_t>(first), first_ready_s_[static_cast<std::size_t>(first)]);
  }

  /// Returns a date relative to T.
  double from_now(double date_s) const { return date_s - now_s_; }
  /// Returns the side of the workers of a group.
  const Side& side_of_group(std::size_t number) const {
    return sides_[number < sides_.size() ? number : number - sides_.size()];
  }

  /// Returns the group of a worker.
  std::size_t group_of(const GroupedWorker& worker) const {
    const bool is_served = !count_c_ || worker.communication_s == worker.later_s;
    return worker.side + (is_served ? 0 : sides_.size());
  }

 private:
  /// Updates the properties of a group from its index of idle workers.
  void update_group(std::size_t number) {
    const auto [least, slot, next] = idle_[number].least_two();
    groups_.first_a_s[number] = least;
    groups_.second_a_s[number] = next;
    groups_.first[number] = least == kNever ? kNobody : side_of_group(number).workers[slot];
  }

  void set_idle(std::int32_t i) {
    const GroupedWorker& worker = workers_[i];
    const std::size_t number = group_of(worker);
    idle_[number].set(worker.slot, worker.communication_s);
    ++idle_count_;
    const double first_a_s = groups_.first_a_s[number];
    const double a_s = worker.communication_s;
    groups_.second_a_s[number] = std::min(groups_.second_a_s[number], std::max(first_a_s, a_s));
    if (a_s >= first_a_s) return;
    groups_.first_a_s[number] = a_s;
    groups_.first[number] = i;
  }

  /// Removes a worker from its place, before it is served.
  void remove(std::size_t i) {
    if (workers_[i].nearly_ready != kNobody) return remove_nearly_ready(workers_[i].nearly_ready);
    const std::size_t number = group_of(workers_[i]);
    idle_[number].set(workers_[i].slot, kNever);
    --idle_count_;
    if (workers_[i].communication_s <= groups_.second_a_s[number]) update_group(number);
  }
  void remove_nearly_ready(std::int32_t n) {
    workers_[nearly_ready_.back().worker].nearly_ready = n;
    workers_[nearly_ready_[n].worker].nearly_ready = kNobody;
    nearly_ready_[n] = nearly_ready_.back();
    nearly_ready_.pop_back();
  }
  void add_nearly_ready(std::size_t i) {
    GroupedWorker& worker = workers_[i];
    worker.nearly_ready = static_cast<std::int32_t>(nearly_ready_.size());
    nearly_ready_.push_back(
        {worker.ready_s, worker.later_s, worker.updates, static_cast<std::int32_t>(i)});
  }

  /// Makes the workers idle for which a step would not wait any more.
  void move_ready_to_idle() {
    for (std::size_t n = 0; n < nearly_ready_.size();) {
      const auto [ready_s, a_s, work, i] = nearly_ready_[n];
      if (from_now(ready_s) > a_s) {
        ++n;
        continue;
      }
      remove_nearly_ready(static_cast<std::int32_t>(n));
      set_idle(i);
    }
  }
  /// Inserts a worker after it was served.
  void insert(std::size_t i) {
    const GroupedWorker& worker = workers_[i];
    if (from_now(worker.ready_s) <= worker.later_s) return set_idle(static_cast<std::int32_t>(i));
    BusyQueue& queue = busy_[worker.side];
    if (worker.ready_s <= queue.taken_until_s()) return add_nearly_ready(i);
    queue.push(worker.ready_s, i);
    first_ready_s_[worker.side] = queue.first_ready_s();
  }

  bool count_c_;

 protected:
  std::vector<GroupedWorker> workers_;
  double now_s_ = 0;  ///< T
  std::vector<Side> sides_;
  Groups groups_{0};
  std::vector<Tournament> idle_;  ///< by group: a_i of its idle workers, by slot
  std::size_t idle_count_ = 0;    ///< idle workers in all groups
  std::vector<NearlyReady> nearly_ready_;
  std::vector<double> first_ready_s_;  ///< by side: the least date in its queue

 private:
  std::vector<BusyQueue> busy_;  ///< by side
};

/// Base class of a fast choice of the worker for each step (blocks of A and B for one update) of
/// the heuristic Het, for the derived selector only (everything is protected): computes the cost of
/// the next step, or of the next pair of steps, on each worker. The cost is time over work, in
/// seconds per block update, the inverse of the ratio of PPoPP'08, section 5; the least wins.
///
/// Counted from T, the end of the last communication, the next step of worker i ends at e_i =
/// max(a_i, ready_i - T), and one on another worker j after it at max(e_i + a_j, ready_j - T),
/// where a_i is the transfer time of the step and ready_i the date at which the worker's previous
/// update ends. If j is idle (ready_j - T <= a_j), the first step of such a pair may end by the
/// slack c w_j - a_j later than alone at the same cost c, where w_j is the work (block updates) of
/// a step of j.
class GroupCosts : protected GroupedWorkers {
 protected:
  GroupCosts(const Variant& variant, const std::vector<StepCosts>& costs)
      : GroupedWorkers(costs, variant.count_c), variant_(variant) {
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

  /// Sets good_seconds_ to the nearly ready workers that have more slack than some idle worker.
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
