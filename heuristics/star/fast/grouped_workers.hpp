// The workers of Het's selection by groups: idle ones by group, and busy ones by the date at which
// they are ready.
#pragma once

#include "heuristics/star/fast/step_ends.hpp"
#include "heuristics/star/fast/tournament.hpp"
#include "heuristics/star/het.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace starport::fast {

/// Queue of busy workers that a selection need not consider yet, ordered by the date in seconds at
/// which they are ready. Workers are numbers of the caller's choice.
class BusyQueue {
 public:
  /// Returns the date passed to the last pop_until(), in seconds; 0 before the first.
  double taken_until_s() const { return taken_until_s_; }
  /// Returns the earliest date in the queue, in seconds; infinity if it is empty.
  double first_ready_s() const { return queue_.empty() ? kUnknown : queue_.top().first; }

  /// Adds a worker that is ready at `ready_s` (seconds).
  void push(double ready_s, std::size_t worker) { queue_.emplace(ready_s, worker); }
  /// Removes all workers that are ready at `date_s` (seconds) or earlier and calls take(worker) for
  /// each, in the order of their dates. `take` must not modify the queue.
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

/// Base class of Het's selection by groups: the workers of a plan, in groups of equal chunk side;
/// if C counts, workers not served yet are in groups of their own. Of the idle workers of a group
/// only the two with the shortest transfer times a_i are considered. Busy workers are in a queue
/// until they may be ready soon enough to be chosen. Everything is protected; the PanelOrder passed
/// to the constructor must outlive it.
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

  GroupedWorkers(const std::vector<StepCosts>& costs, bool count_c, const PanelOrder& order)
      : count_c_(count_c), order_(&order), workers_(costs.size()), idle_count_(costs.size()) {
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
    const std::int32_t first = least == kNever ? kNobody : side_of_group(number).workers[slot];
    groups_.first[number] = first;
    if (first == kNobody) return;
    __builtin_prefetch(&workers_[first]);
    order_->prefetch(static_cast<std::size_t>(first));
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
  const PanelOrder* order_;

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

}  // namespace starport::fast
