// The workers that a choice by groups looks at: the idle, and the busy that are ready soon.
#pragma once

#include "heuristics/star/fast/later_workers.hpp"
#include "heuristics/star/fast/least_tree.hpp"
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
  /// What is looked at of each group at every step.
  struct Group {
    double work;                   ///< of a step
    double first_a_s = kNever;     ///< the least a_i of the idle,
    double second_a_s = kNever;    ///< the least of the others,
    std::int32_t first = kNobody;  ///< and whose the first is
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
    const PlanningClock<> clock(costs, count_c);
    std::map<std::int64_t, std::int32_t> numbers;  // of the sides
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const auto [number, created] =
          numbers.try_emplace(costs[i].mu, static_cast<std::int32_t>(sides_.size()));
      if (created) sides_.push_back({.work = costs[i].updates});
      Side& side = sides_[number->second];
      workers_[i] = {clock.workers[i], number->second,
                     static_cast<std::int32_t>(side.workers.size())};
      side.workers.push_back(static_cast<std::int32_t>(i));
    }
    for (const bool served : {true, false}) {
      if (!served && !count_c) continue;
      for (const Side& side : sides_) {
        groups_.push_back({.work = side.work});
        idle_.emplace_back(side.workers.size());
      }
    }
    for (const Known& worker : workers_) {
      idle_[group_of(worker)].set(worker.slot, worker.communication_s);
    }
    for (std::size_t number = 0; number < groups_.size(); ++number) find_first(number);
    later_ = std::vector<LaterWorkers>(sides_.size());
    later_s_.assign(sides_.size(), kNever);
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
    later_s_[side] = later_[side].floor_s();
  }
  void look_for_one() {
    const auto earliest = std::ranges::min_element(later_s_);
    take_later(static_cast<std::size_t>(earliest - later_s_.begin()), *earliest);
  }

  double from_now(double date_s) const { return date_s - now_s_; }
  const Side& side_of_group(std::size_t number) const {
    return sides_[number < sides_.size() ? number : number - sides_.size()];
  }

 private:
  std::size_t group_of(const Known& worker) const {
    const bool served = !count_c_ || worker.communication_s == worker.later_s;
    return worker.side + (served ? 0 : sides_.size());
  }

  void find_first(std::size_t number) {
    const auto [least, slot, next] = idle_[number].two();
    Group& group = groups_[number];
    group.first_a_s = least;
    group.second_a_s = next;
    group.first = least == kNever ? kNobody : side_of_group(number).workers[slot];
    if (group.first != kNobody) foresee(group.first);
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
    Group& group = groups_[number];
    group.second_a_s =
        std::min(group.second_a_s, std::max(group.first_a_s, worker.communication_s));
    if (worker.communication_s >= group.first_a_s) return;
    group.first_a_s = worker.communication_s;
    group.first = i;
  }

  void take_away(std::size_t i) {
    if (workers_[i].soon != kNobody) return remove_soon(workers_[i].soon);
    const std::size_t number = group_of(workers_[i]);
    idle_[number].set(workers_[i].slot, kNever);
    --idle_count_;
    if (workers_[i].communication_s <= groups_[number].second_a_s) find_first(number);
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
    later_s_[side] = later_[side].floor_s();
  }

  bool count_c_;
  const PanelOrder* order_;

 protected:
  std::vector<Known> workers_;
  double now_s_ = 0;  ///< T
  std::vector<Side> sides_;
  std::vector<Group> groups_;    ///< of each side; then, where C counts, of those not served yet
  std::vector<LeastTree> idle_;  ///< in each group: a_i, by slot
  std::size_t idle_count_ = 0;
  std::vector<Soon> soon_;
  std::vector<double> later_s_;  ///< of those that are not there, none of a side is ready before

 private:
  std::vector<LaterWorkers> later_;  ///< of each side
};

}  // namespace starport::fast
