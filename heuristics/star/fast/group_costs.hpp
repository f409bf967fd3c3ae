// What steps and pairs of steps cost on workers that are looked at by groups.
#pragma once

#include "heuristics/star/fast/grouped_workers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace starport::fast {

/// Dates are taken from T on, the end of the last communication: the next step of worker i ends at
/// e_i = max(a_i, ready_i - T), and one on worker j after it at max(e_i + a_j, ready_j - T).
///
/// Values are compared by their inverses, the seconds that each update costs: the smallest wins. A
/// pair costs no more than c if its second step leaves enough of what it may take at c: where it
/// takes a_j, c w_j - a_j.
class GroupCosts : protected GroupedWorkers {
 protected:
  GroupCosts(const Variant& variant, const std::vector<StepCosts>& costs, const PanelOrder& order)
      : GroupedWorkers(costs, variant.count_c, order), variant_(variant) {
    for (const Side& side : sides_) largest_work_ = std::max(largest_work_, side.work);
  }

  void count(const Known& served) {
    if (variant_.local) return;
    past_s_ = now_s_;
    achieved_ += served.updates;
  }

  /// Of steps of so much work, the last of which ends then. Global: the end of the last
  /// communication over all the work planned. Local: the time that these steps add to the port over
  /// their work.
  double cost(double work, double end_s) const { return (past_s_ + end_s) / (achieved_ + work); }
  /// When such steps end, if they cost so much.
  double end_s(double work, double cost) const { return cost * (achieved_ + work) - past_s_; }
  /// Clearly beyond rounding.
  static bool less(double cost, double other) { return cost < other * (1 - 0x1p-40); }

  double step_end_s(const Known& worker) const {
    return std::max(worker.communication_s, from_now(worker.ready_s));
  }
  double step_end_s(const Soon& soon) const { return std::max(soon.a_s, from_now(soon.ready_s)); }
  /// From the end of the next step of a worker to that of another one right after it.
  static double another_s(const Known& worker) {
    return std::max(worker.later_s, worker.computation_s);
  }

  /// The groups of the two idle workers that leave most at a cost; perhaps one and the same.
  struct Two {
    std::size_t group = 0;
    std::size_t next_group = 0;
  };
  /// The last bits of what they leave, negated, tell the group. Infinite ones become none, which
  /// are in no order. Every other pair goes to a result of its own: while one waits, the processor
  /// goes on with the other.
  Two two_groups(double cost) const {
    const auto numbers = static_cast<std::int64_t>(std::bit_ceil(groups_.size()) - 1);
    const auto key = [&](const Pair& a_s, const Pair& work, const PairBits& number) {
      const Pair lost_s = a_s - cost * work;
      return std::bit_cast<Pair>((std::bit_cast<PairBits>(lost_s) & ~numbers) | number);
    };
    LeastTwo even;
    LeastTwo odd;
    PairBits number{0, 1};
    const std::size_t count = groups_.work.count();
    for (std::size_t n = 0; n < count; n += 2, number += 4) {
      even.add(key(groups_.first_a_s.pair(n), groups_.work.pair(n), number));
      if (n + 1 == count) break;
      odd.add(key(groups_.first_a_s.pair(n + 1), groups_.work.pair(n + 1), number + 2));
    }
    even.add(odd.least);
    const auto [least, next] = LeastTwo{even.least, lesser(even.next, odd.next)};
    const auto number_of = [&](double key) {
      return static_cast<std::size_t>(std::bit_cast<std::int64_t>(key) & numbers);
    };
    const std::size_t group = number_of(lesser(least));
    const Pair its_second = key(groups_.second_a_s[group] - Pair{}, groups_.work[group] - Pair{},
                                static_cast<std::int64_t>(group) - PairBits{});
    const Pair next_of_both =
        lesser(its_second, lesser(next, greater(least[0] - Pair{}, least[1] - Pair{})));
    return {group, number_of(lesser(next_of_both))};
  }
  /// In each half of pairs.
  struct LeastTwo {
    Pair least = kNever - Pair{};
    Pair next = kNever - Pair{};
    void add(const Pair& its) {
      next = lesser(greater(its, least), next);
      least = lesser(its, least);
    }
  };

  /// What is left for the end of a first step, for a pair to cost no more than this, besides what
  /// the first is worth itself.
  struct Seconds : Two {
    double cost = 0;
    double slack_s = 0;       ///< the most that an idle worker leaves,
    double next_slack_s = 0;  ///< the most of the others,
    double most_s = 0;        ///< at least what any worker leaves
  };
  Seconds seconds(double cost) const {
    Seconds best{two_groups(cost), cost};
    best.slack_s = cost * groups_.work[best.group] - groups_.first_a_s[best.group];
    best.next_slack_s =
        cost * groups_.work[best.next_group] - groups_.a_s(best.next_group, best.group);
    best.most_s = most_s(best);
    return best;
  }
  double most_s(const Seconds& seconds) const {
    double most_s = seconds.slack_s;
    for (const Soon& soon : soon_) most_s = std::max(most_s, seconds.cost * soon.work - soon.a_s);
    return most_s;
  }

  /// Those ready soon that leave more than some idle worker, and may be worth waiting for.
  void find_good(const Seconds& seconds) {
    good_.clear();
    for (const Soon& soon : soon_) {
      const double worth_s = seconds.cost * soon.work;
      const Good good{worth_s - soon.a_s, from_now(soon.ready_s) - worth_s, soon.worker};
      if (good.slack_s > seconds.next_slack_s) good_.push_back(good);
    }
  }

  /// When a step on a worker ends at the latest to cost no more, alone or in a pair.
  double latest_s(const Seconds& seconds, double work, std::int32_t worker) const {
    const double alone_s = end_s(work, seconds.cost);
    if (!variant_.look_ahead) return alone_s;
    double slack_s =
        worker == groups_.first[seconds.group] ? seconds.next_slack_s : seconds.slack_s;
    for (const Good& soon : good_) {
      if (soon.slack_s <= slack_s || soon.wait_s > alone_s || soon.worker == worker) continue;
      slack_s = soon.slack_s;
    }
    return alone_s + slack_s;
  }

  /// Of the best choice of a worker, and one of any after it.
  double cost_of(std::size_t i) const {
    const Known& worker = workers_[i];
    const double end_s = step_end_s(worker);
    if (!variant_.look_ahead) return cost(worker.updates, end_s);
    const auto first = static_cast<std::int32_t>(i);
    if (first == cheapest_[0] || first == cheapest_[1]) return last_cost_;
    const std::size_t group = group_of(worker);
    const double twice = cost(2 * worker.updates, end_s + another_s(worker));
    const double least = cost_with_idle(groups_.first[group] == first ? group : groups_.size(),
                                        worker.updates, end_s, twice);
    return cost_with_soon(first, worker.updates, end_s, least);
  }

  /// Of the best pair of a step that ends then and one of an idle worker; the first of `taken` is
  /// the first. `limit` when none costs less.
  double cost_with_idle(std::size_t taken, double work, double end_s, double limit) const {
    std::size_t group = seconds_.group == taken ? seconds_.next_group : seconds_.group;
    for (bool sure = false;; sure = true) {
      const double its_cost = cost(work + groups_.work[group], end_s + groups_.a_s(group, taken));
      if (sure && !less(its_cost, limit)) return std::min(its_cost, limit);
      limit = std::min(its_cost, limit);
      if (limit == kNever) return limit;
      const Two two = two_groups(limit);
      group = two.group == taken ? two.next_group : two.group;
    }
  }
  /// The same of one that is ready soon, from that number on.
  double cost_with_soon(std::int32_t first, double work, double end_s, double limit,
                        std::size_t from = 0) const {
    for (std::size_t n = from; n < soon_.size(); ++n) {
      const Soon& soon = soon_[n];
      if (soon.worker == first) continue;
      const double its_end_s = std::max(end_s + soon.a_s, from_now(soon.ready_s));
      limit = lesser_cost(work + soon.work, its_end_s, limit);
    }
    return limit;
  }
  /// Of a step of an idle worker and one of `soon` after it.
  double cost_after_idle(const Soon& soon, double limit) const {
    const double ready_s = from_now(soon.ready_s);
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      const double end_s = std::max(groups_.first_a_s[number] + soon.a_s, ready_s);
      limit = lesser_cost(groups_.work[number] + soon.work, end_s, limit);
    }
    return limit;
  }
  double lesser_cost(double work, double end_s, double limit) const {
    return past_s_ + end_s < limit * (achieved_ + work) ? cost(work, end_s) : limit;
  }

  /// One that is ready soon, as the second of a pair.
  struct Good {
    double slack_s;  ///< what it leaves, after a first
    double wait_s;   ///< that is worth so much alone
    std::int32_t worker;
  };

  Variant variant_;
  double largest_work_ = 0;  ///< of a step
  double past_s_ = 0;        ///< the time before T that counts
  double achieved_ = 0;      ///< and the work
  Seconds seconds_;          ///< at the least cost of a pair of idle workers
  double last_cost_ = 0;     ///< of the best pair, or step; of the choice before until it is known
  std::vector<Good> good_;   ///< at the cost that is looked for
  std::array<std::int32_t, 2> cheapest_{};  ///< some of those that cost so little, with look-ahead
};

}  // namespace starport::fast
