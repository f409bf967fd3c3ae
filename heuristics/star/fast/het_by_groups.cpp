#include "heuristics/star/fast/for_many.hpp"
#include "heuristics/star/fast/group_costs.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace starport::fast {
namespace {

/// Chooses step after step. Workers are grouped by side, and where C counts those not served yet
/// apart. Of the idle of a group (e_i = a_i) the one of least a_i is worth most. The busy are
/// looked at one by one once they are ready soon: before what their step, or their pair, may cost.
class GroupSelector : GroupCosts {
 public:
  GroupSelector(const Variant& variant, const std::vector<StepCosts>& costs,
                const PanelOrder& order)
      : GroupCosts(variant, costs, order),
        left_s_(sides_.size() + 1),
        sizes_(static_cast<double>(sides_.size()) / largest_work_),
        searched_(groups_.size()) {
    for (const Known& worker : workers_) {
      Side& side = sides_[worker.side];
      side.twice_s = std::min(side.twice_s, worker.later_s + another_s(worker));
      twice_s_ = std::min(twice_s_, side.twice_s);
    }
  }

  std::size_t choose() {
    const std::size_t i = best();
    serve(i);
    count(workers_[i]);
    if (twice_known_) follow_twice(workers_[i]);
    return i;
  }

 private:
  // The choice.

  /// Looks at all workers that may be worth as much, alone or as the second of a pair; whether
  /// there were others.
  bool look_for(double cost) {
    if (cost <= looked_for_ || cost == kNever) return false;  // of a single worker, no pair
    looked_for_ = cost;
    const double second_work = variant_.look_ahead ? largest_work_ : 0;
    const double until_s = now_s_ + end_s(second_work, cost);
    const std::size_t before = soon_.size();
    for (std::size_t begin = 0; begin < later_s_.count(); begin += 32) {
      const std::size_t end = std::min(later_s_.count(), begin + 32);
      std::uint64_t wanted = wanted_of(begin, end, [&](std::size_t n) {
        return later_s_.pair(n) <= until_s + cost * groups_.work.pair(n);
      });
      for (; wanted != 0; wanted &= wanted - 1) {
        const std::size_t side = 2 * begin + static_cast<std::size_t>(std::countr_zero(wanted));
        take_later(side, until_s + cost * groups_.work[side]);
      }
    }
    return soon_.size() > before;
  }

  /// Of a step of an idle worker.
  double least_idle_step() const {
    Pair least = kNever - Pair{};
    for (std::size_t n = 0; n < groups_.work.count(); ++n) {
      least =
          lesser((past_s_ + groups_.first_a_s.pair(n)) / (achieved_ + groups_.work.pair(n)), least);
    }
    return lesser(least);
  }
  double least_step(double least, std::size_t from) const {
    for (std::size_t n = from; n < soon_.size(); ++n) {
      least = std::min(least, cost(soon_[n].work, step_end_s(soon_[n])));
    }
    return least;
  }

  /// Of a pair of two idle workers: those that leave most at the cost of some pair, again and again
  /// until there is none that costs clearly less.
  double least_idle_pair() {
    double least = kNever;
    cheapest_ = {kNobody, kNobody};
    for (double guess = last_cost_;;) {
      seconds_ = seconds(guess);
      const auto [group, next_group] = std::pair(seconds_.group, seconds_.next_group);
      guess = cost(groups_.work[group] + groups_.work[next_group],
                   groups_.first_a_s[group] + groups_.a_s(next_group, group));
      if (!less(guess, least)) break;
      least = guess;
      cheapest_ = {groups_.first[group], groups_.first[next_group]};
      if (group == next_group) cheapest_[1] = kNobody;
    }
    if (least == kNever) seconds_.slack_s = kNever;  // any pair will do
    return least;
  }
  /// Of a pair of which one at least is ready soon, from that number on.
  double least_pair(double least, std::size_t from) {
    if (from == soon_.size()) return least;
    seconds_.most_s = most_s(seconds_);
    if (from == 0) find_left();
    for (std::size_t n = 0; n < soon_.size(); ++n) {
      const Soon& soon = soon_[n];
      const double before = least;
      const double its_end_s = step_end_s(soon);
      if (n >= from && its_end_s <= end_s(soon.work, least) + seconds_.slack_s) {
        least = cost_with_idle(groups_.size(), soon.work, its_end_s, least);
      }
      if (its_end_s <= end_s(soon.work, least) + seconds_.most_s) {
        least = cost_with_soon(soon.worker, soon.work, its_end_s, least, n < from ? from : 0);
      }
      if (least < before) cheapest_ = {soon.worker, kNobody};
      if (n < from || !may_follow_idle(soon, least)) continue;
      const double cost = cost_after_idle(soon, least);
      if (cost < least) cheapest_ = {kNobody, kNobody};
      least = cost;
    }
    return least;
  }
  /// Of the idle by how large their steps are.
  void find_left() {
    std::ranges::fill(left_s_, seconds_.slack_s == kNever ? kNever : -kNever);
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      const double work = groups_.work[number];
      double& left_s = left_s_[static_cast<std::size_t>(work * sizes_)];
      left_s = std::max(left_s, seconds_.cost * work - groups_.first_a_s[number]);
    }
    for (std::size_t size = left_s_.size() - 1; size-- > 0;) {
      left_s_[size] = std::max(left_s_[size], left_s_[size + 1]);
    }
  }
  /// Whether there may be an idle worker whose step is large enough to wait for `soon`, and which
  /// leaves enough.
  bool may_follow_idle(const Soon& soon, double cost) const {
    const double alone_s = end_s(soon.work, cost);
    if (soon.a_s > alone_s + seconds_.slack_s) return false;
    const double size = std::max(0.0, (from_now(soon.ready_s) - alone_s) / cost * sizes_);
    return size < static_cast<double>(left_s_.size()) &&
           soon.a_s <= alone_s + left_s_[static_cast<std::size_t>(size)];
  }

  double least_cost() {
    looked_for_ = -kNever;
    while (idle_count_ + soon_.size() < std::min<std::size_t>(workers_.size(), 2)) look_for_one();
    double least = variant_.look_ahead ? least_idle_pair() : least_idle_step();
    std::size_t from = 0;
    do {
      least = variant_.look_ahead ? least_pair(least, from) : least_step(least, from);
      from = soon_.size();
    } while (look_for(least * (1 + 4 * kRelativeTolerance)));
    const double twice = least_twice_cost(least);
    if (twice < least) cheapest_ = {kNobody, kNobody};
    return twice;
  }

  // Two steps on one worker.

  bool none_twice(double cost) const {
    return !variant_.look_ahead || twice_s_ > end_s(2 * largest_work_, cost);
  }
  /// Whether two of this side may cost so little; their ends are known then.
  bool may_serve_twice(Side& side, double cost) {
    if (side.twice_s > end_s(2 * side.work, cost)) return false;
    if (side.twice) return true;
    twice_known_ = true;
    side.twice.emplace(side.workers.size());
    side.twice->advance(now_s_);
    for (const std::int32_t i : side.workers) set_twice(workers_[i]);
    return true;
  }
  void set_twice(const Known& worker) {
    sides_[worker.side].twice->set(worker.slot, worker.communication_s, worker.ready_s,
                                   another_s(worker));
  }
  void follow_twice(const Known& served) {
    for (Side& side : sides_) {
      if (side.twice) side.twice->advance(now_s_);
    }
    if (sides_[served.side].twice) set_twice(served);
  }
  double least_twice_cost(double limit) {
    if (none_twice(limit)) return limit;
    for (Side& side : sides_) {
      if (!may_serve_twice(side, limit)) continue;
      limit = std::min(limit, cost(2 * side.work, from_now(side.twice->least())));
    }
    return limit;
  }
  std::size_t first_twice(std::size_t from, double bound) {
    std::size_t first = workers_.size();
    if (none_twice(bound)) return first;
    for (Side& side : sides_) {
      if (!may_serve_twice(side, bound)) continue;
      const std::size_t slot = side.twice->first(slot_from(side, from), [&](double date_s) {
        return cost(2 * side.work, from_now(date_s)) <= bound;
      });
      first = std::min(first, worker_of(side, slot));
    }
    return first;
  }

  /// The first worker from `from` on that costs at most `bound`; how many there are when there is
  /// none.
  std::size_t first(std::size_t from, double bound) {
    look_for(bound);
    const Seconds seconds = variant_.look_ahead ? this->seconds(bound) : Seconds{.cost = bound};
    if (variant_.look_ahead) find_good(seconds);
    std::size_t first = workers_.size();
    for (std::size_t begin = 0; begin < groups_.work.count(); begin += 32) {
      const std::size_t end = std::min(groups_.work.count(), begin + 32);
      std::uint64_t wanted = wanted_of(begin, end, [&](std::size_t n) {
        const Pair alone_s = bound * (achieved_ + groups_.work.pair(n)) - past_s_;
        return groups_.first_a_s.pair(n) <= alone_s + seconds.most_s;
      });
      for (; wanted != 0; wanted &= wanted - 1) {
        const std::size_t number = 2 * begin + static_cast<std::size_t>(std::countr_zero(wanted));
        first = std::min(first, first_idle(number, seconds, from));
      }
    }
    for (const Soon& soon : soon_) {
      const auto i = static_cast<std::size_t>(soon.worker);
      if (i < from || i >= first) continue;
      if (step_end_s(soon) > end_s(soon.work, bound) + seconds.most_s) continue;
      if (step_end_s(soon) <= latest_s(seconds, soon.work, soon.worker)) first = i;
    }
    return std::min(first, first_twice(from, bound));
  }
  /// The slot of the first worker from there on.
  static std::size_t slot_from(const Side& side, std::size_t from) {
    if (from == 0) return 0;
    const auto begin = side.workers.begin();
    return static_cast<std::size_t>(
        std::ranges::lower_bound(side.workers, static_cast<std::int32_t>(from)) - begin);
  }
  std::size_t worker_of(const Side& side, std::size_t slot) const {
    return slot < side.workers.size() ? side.workers[slot] : workers_.size();
  }
  /// Among the idle of a group, of which one is wanted. Its search goes on where the one before
  /// ended, of which more were wanted.
  std::size_t first_idle(std::size_t number, const Seconds& seconds, std::size_t from) {
    const double first_a_s = groups_.first_a_s[number];
    const double work = groups_.work[number];
    const auto first = static_cast<std::size_t>(groups_.first[number]);
    const double latest_s = this->latest_s(seconds, work, kNobody);
    if (first_a_s > latest_s) return workers_.size();
    const bool first_too = !variant_.look_ahead || number != seconds.group ||
                           first_a_s <= this->latest_s(seconds, work, groups_.first[number]);
    if (groups_.second_a_s[number] > latest_s) {
      return first_too && first >= from ? first : workers_.size();
    }
    std::size_t slot = from == 0 ? 0 : searched_[number];
    for (;; ++slot) {
      slot = idle_[number].first(slot, latest_s);
      const std::size_t i = worker_of(side_of_group(number), slot);
      if (i < from || (i == first && !first_too)) continue;
      searched_[number] = slot;
      return i;
    }
  }

  std::size_t best() {
    last_cost_ = least_cost();
    return scanned_least(
        last_cost_, workers_.size(),
        [this](std::size_t from, double bound) { return first(from, bound); },
        [this](std::size_t i) { return cost_of(i); });
  }

  double looked_for_ = 0;    ///< with all that may cost so much
  double twice_s_ = kNever;  ///< no two steps of one worker end sooner
  bool twice_known_ = false;
  std::vector<double> left_s_;  ///< the most that an idle worker of this size, or larger, leaves
  double sizes_;                ///< these are by work times so much
  std::vector<std::size_t> searched_;  ///< in each group, up to this slot
};

}  // namespace

std::vector<PanelOrder> select_by_groups(std::span<const Selection> selections) {
  std::vector<PanelOrder> orders;
  for (const auto& [variant, costs, problem, limit_s] : selections) {
    PanelOrder& order = orders.emplace_back(*costs, *problem, limit_s);
    GroupSelector selector(variant, *costs, order);
    while (order.open()) order.add(selector.choose());
  }
  return orders;
}

}  // namespace starport::fast
