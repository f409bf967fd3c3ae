// The workers that a choice by groups looks at: the idle, and the busy that are ready soon.
#pragma once

#include "heuristics/star/fast/later_workers.hpp"
#include "heuristics/star/fast/least_tree.hpp"
#include "heuristics/star/fast/pairs.hpp"
#include "heuristics/star/fast/step_ends.hpp"
#include "heuristics/star/het.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace starport::fast {

/// Workers by side, and where C counts those not served yet apart. The idle of each group are in a
/// tree, of which only the least two are looked at; the busy are taken out of a queue once they are
/// looked for.
class GroupedWorkers {
 protected:
  static constexpr std::int32_t kNobody = -1;
  static constexpr double kNever = StepEnds::kNever;

  struct Side {
    double work = 0;  ///< of a step
    std::vector<std::int32_t> workers = {};
    double twice_s = kNever;  ///< no two steps of one worker end sooner
    /// The ends of such two, once they may be worth something.
    std::optional<StepEnds> twice = {};
  };
  /// What is looked at of the groups at every step: of each side, by its size; then, where C
  /// counts, of those of each side not served yet.
  struct Groups {
    explicit Groups(std::size_t size)
        : work(size, 0), first_a_s(size), second_a_s(size), first(size, kNobody) {}

    std::size_t size() const { return first.size(); }
    /// Of the first of a group; of the second where the first one is taken.
    double a_s(std::size_t number, std::size_t taken) const {
      return number == taken ? second_a_s[number] : first_a_s[number];
    }

    Pairs work;                       ///< of a step
    Pairs first_a_s;                  ///< the least a_i of the idle,
    Pairs second_a_s;                 ///< the least of the others,
    std::vector<std::int32_t> first;  ///< and whose the first is
  };
  /// A busy worker that is ready soon.
  struct Soon {
    double ready_s;
    double a_s;
    double work;
    std::int32_t worker;
  };
  /// In one line of the cache.
  struct alignas(64) Known : PlanningClock<>::Worker {
    Known() = default;
    Known(const PlanningClock<>::Worker& worker, std::int32_t side, std::int32_t slot)
        : PlanningClock<>::Worker(worker), side(side), slot(slot) {}

    std::int32_t side = 0;
    std::int32_t slot = 0;        ///< its number there
    std::int32_t soon = kNobody;  ///< and among those that are ready soon
  };

  GroupedWorkers(const std::vector<StepCosts>& costs, bool count_c, const PanelOrder& order)
      : count_c_(count_c), order_(&order), workers_(costs.size()), idle_count_(costs.size()) {
    std::map<std::int64_t, std::int32_t> numbers;  // of the sides
    for (const StepCosts& cost : costs) numbers[cost.mu] = 0;
    for (auto& [mu, number] : numbers) {
      number = static_cast<std::int32_t>(sides_.size());
      sides_.emplace_back();
    }
    const PlanningClock<> clock(costs, count_c);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const std::int32_t number = numbers[costs[i].mu];
      Side& side = sides_[number];
      side.work = costs[i].updates;
      workers_[i] = {clock.workers[i], number, static_cast<std::int32_t>(side.workers.size())};
      side.workers.push_back(static_cast<std::int32_t>(i));
    }
    groups_ = Groups(sides_.size() * (count_c ? 2 : 1));
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      groups_.work.set(number, side_of_group(number).work);
      idle_.emplace_back(side_of_group(number).workers.size());
    }
    for (const Known& worker : workers_) {
      idle_[group_of(worker)].set(worker.slot, worker.communication_s);
    }
    for (std::size_t number = 0; number < groups_.size(); ++number) find_first(number);
    later_ = std::vector<LaterWorkers>(sides_.size());
    later_s_ = Pairs(sides_.size());
  }

  /// Plans a step on a worker.
  void serve(std::size_t i) {
    Known& worker = workers_[i];
    take_away(i);
    now_s_ = PlanningClock<>::end_s(worker, now_s_);
    worker.plan(now_s_);
    settle();
    put(i);
  }

  void take_later(std::size_t side, double until_s) {
    later_[side].take_until(
        until_s, [this](std::size_t i) { add_soon(i); },
        [this](std::size_t i) { foresee(static_cast<std::int32_t>(i)); });
    later_s_.set(side, later_[side].floor_s());
  }
  void look_for_one() {
    std::size_t earliest = 0;
    for (std::size_t side = 1; side < sides_.size(); ++side) {
      if (later_s_[side] < later_s_[earliest]) earliest = side;
    }
    take_later(earliest, later_s_[earliest]);
  }

  double from_now(double date_s) const { return date_s - now_s_; }
  const Side& side_of_group(std::size_t number) const {
    return sides_[number < sides_.size() ? number : number - sides_.size()];
  }

  std::size_t group_of(const Known& worker) const {
    const bool served = !count_c_ || worker.communication_s == worker.later_s;
    return worker.side + (served ? 0 : sides_.size());
  }

 private:
  void find_first(std::size_t number) {
    const auto [least, slot, next] = idle_[number].two();
    groups_.first_a_s.set(number, least);
    groups_.second_a_s.set(number, next);
    const std::int32_t first = least == kNever ? kNobody : side_of_group(number).workers[slot];
    groups_.first[number] = first;
    if (first != kNobody) foresee(first);
  }
  /// It may be served soon.
  void foresee(std::int32_t i) const {
    __builtin_prefetch(&workers_[i]);
    order_->foresee(i);
  }

  void set_idle(std::int32_t i) {
    const Known& worker = workers_[i];
    const std::size_t number = group_of(worker);
    idle_[number].set(worker.slot, worker.communication_s);
    ++idle_count_;
    const double first_a_s = groups_.first_a_s[number];
    const double a_s = worker.communication_s;
    groups_.second_a_s.set(number, std::min(groups_.second_a_s[number], std::max(first_a_s, a_s)));
    if (a_s >= first_a_s) return;
    groups_.first_a_s.set(number, a_s);
    groups_.first[number] = i;
  }

  void take_away(std::size_t i) {
    if (workers_[i].soon != kNobody) return remove_soon(workers_[i].soon);
    const std::size_t number = group_of(workers_[i]);
    idle_[number].set(workers_[i].slot, kNever);
    --idle_count_;
    if (workers_[i].communication_s <= groups_.second_a_s[number]) find_first(number);
  }
  void remove_soon(std::int32_t n) {
    workers_[soon_.back().worker].soon = n;
    workers_[soon_[n].worker].soon = kNobody;
    soon_[n] = soon_.back();
    soon_.pop_back();
  }
  void add_soon(std::size_t i) {
    Known& worker = workers_[i];
    worker.soon = static_cast<std::int32_t>(soon_.size());
    soon_.push_back({worker.ready_s, worker.later_s, worker.updates, static_cast<std::int32_t>(i)});
  }

  /// Those that would not be waited for any more are idle.
  void settle() {
    for (std::size_t n = 0; n < soon_.size();) {
      const auto [ready_s, a_s, work, i] = soon_[n];
      if (from_now(ready_s) > a_s) {
        ++n;
        continue;
      }
      remove_soon(static_cast<std::int32_t>(n));
      set_idle(i);
    }
  }
  /// A worker that was served.
  void put(std::size_t i) {
    const Known& worker = workers_[i];
    if (from_now(worker.ready_s) <= worker.later_s) return set_idle(static_cast<std::int32_t>(i));
    const std::int32_t side = worker.side;
    if (worker.ready_s <= later_[side].taken_s()) return add_soon(i);
    later_[side].push(worker.ready_s, i);
    later_s_.set(side, later_[side].floor_s());
  }

  bool count_c_;
  const PanelOrder* order_;

 protected:
  std::vector<Known> workers_;
  double now_s_ = 0;  ///< T
  std::vector<Side> sides_;
  Groups groups_{0};
  std::vector<LeastTree> idle_;  ///< in each group: a_i, by slot
  std::size_t idle_count_ = 0;
  std::vector<Soon> soon_;
  Pairs later_s_{0};  ///< of those that are not there, none of a side is ready before

 private:
  std::vector<LaterWorkers> later_;  ///< of each side
};

}  // namespace starport::fast
