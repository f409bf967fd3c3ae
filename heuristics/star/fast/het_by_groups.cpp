#include "heuristics/star/fast/for_many.hpp"
#include "heuristics/star/fast/grouped_workers.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace starport::fast {
namespace {

/// Chooses step after step. Workers are grouped by side, and where C counts those not served yet
/// apart. Dates are taken from T on, the end of the last communication: the next step of worker i
/// ends at e_i = max(a_i, ready_i - T), and one on worker j after it at max(e_i + a_j, ready_j -
/// T).
///
/// Of the idle of a group (e_i = a_i) the one of least a_i is worth most. The busy are looked at
/// one by one once they are ready soon: before what their step, or their pair, may cost.
///
/// Values are compared by their inverses, the seconds that each update costs: the smallest wins.
class GroupSelector : GroupedWorkers {
 public:
  GroupSelector(const Variant& variant, const std::vector<StepCosts>& costs,
                const PanelOrder& order)
      : GroupedWorkers(costs, variant.count_c, order), variant_(variant) {
    for (const Known& worker : workers_) {
      Side& side = sides_[worker.side];
      side.twice_s = std::min(side.twice_s, worker.later_s + another_s(worker));
      twice_s_ = std::min(twice_s_, side.twice_s);
      largest_work_ = std::max(largest_work_, worker.updates);
    }
  }

  std::size_t choose() {
    const std::size_t i = best();
    serve(i);
    planned_work_ += workers_[i].updates;
    if (twice_known_) follow_twice(workers_[i]);
    return i;
  }

 private:
  // What steps cost.

  /// Of steps of so much work, the last of which ends then. Global: the end of the last
  /// communication over all the work planned. Local: the time that these steps add to the port over
  /// their work.
  double cost(double work, double end_s) const { return (past_s_ + end_s) / (achieved_ + work); }
  /// When such steps end, if they cost so much.
  double end_s(double work, double cost) const { return cost * (achieved_ + work) - past_s_; }

  double step_end_s(const Known& worker) const {
    return std::max(worker.communication_s, from_now(worker.ready_s));
  }
  double step_end_s(const Soon& soon) const { return std::max(soon.a_s, from_now(soon.ready_s)); }
  /// From the end of the next step of a worker to that of another one right after it.
  static double another_s(const Known& worker) {
    return std::max(worker.later_s, worker.computation_s);
  }

  double cost_of(std::size_t i) const {
    const Known& worker = workers_[i];
    const double work = worker.updates;
    const double end_s = step_end_s(worker);
    if (!variant_.look_ahead) return cost(work, end_s);
    const auto first = static_cast<std::int32_t>(i);
    const Group& best = groups_[seconds_.group];
    const Group& second = best.first == first ? groups_[seconds_.next_group] : best;
    const double a_s = second.first == first ? second.second_a_s : second.first_a_s;
    const double twice = cost(2 * work, end_s + another_s(worker));
    return pair_cost(first, work, end_s, std::min(twice, cost(work + second.work, end_s + a_s)));
  }

  /// Of the best pair of a step on a worker, which ends then, and one of another, idle or ready
  /// soon; `limit` when none costs less.
  double pair_cost(std::int32_t first, double first_work, double first_end_s, double limit) const {
    return cost_with_soon(first, first_work, first_end_s,
                          cost_with_idle(first, first_work, first_end_s, limit));
  }
  double cost_with_idle(std::int32_t first, double first_work, double first_end_s,
                        double limit) const {
    for (const Group& group : groups_) {
      const double a_s = group.first == first ? group.second_a_s : group.first_a_s;
      limit = lesser_cost(first_work + group.work, first_end_s + a_s, limit);
    }
    return limit;
  }
  double cost_with_soon(std::int32_t first, double first_work, double first_end_s,
                        double limit) const {
    for (const Soon& soon : soon_) {
      if (soon.worker == first) continue;
      const double end_s = std::max(first_end_s + soon.a_s, from_now(soon.ready_s));
      limit = lesser_cost(first_work + soon.work, end_s, limit);
    }
    return limit;
  }
  double lesser_cost(double work, double end_s, double limit) const {
    return past_s_ + end_s < limit * (achieved_ + work) ? cost(work, end_s) : limit;
  }

  /// What is left for the end of a first step, for a pair to cost no more than this: a second step
  /// that takes a_j leaves cost w_j - a_j besides what the first is worth itself.
  struct Seconds {
    double cost;
    double slack_s = 0;       ///< the most that an idle worker leaves,
    double next_slack_s = 0;  ///< the most of the others,
    std::size_t group = 0;    ///< and the groups of both
    std::size_t next_group = 0;
    double most_s = 0;  ///< at least what any worker leaves
  };
  /// No branch depends on the dates, which would be foretold badly: numbers >= 0 are in the order
  /// of their bits, and the last of these tell the group.
  Seconds seconds(double cost) const {
    const std::uint64_t numbers = std::bit_ceil(groups_.size()) - 1;
    const auto key = [&](double a_s, std::size_t number) {
      const double lost_s = a_s + cost * (largest_work_ - groups_[number].work);
      return (std::bit_cast<std::uint64_t>(lost_s) & ~numbers) | number;
    };
    std::uint64_t least = UINT64_MAX;
    std::uint64_t next = UINT64_MAX;
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      const std::uint64_t its_key = key(groups_[number].first_a_s, number);
      next = std::min(next, std::max(least, its_key));
      least = std::min(least, its_key);
    }
    const std::size_t group = least & numbers;
    next = std::min(next, key(groups_[group].second_a_s, group));
    const std::size_t next_group = next & numbers;
    Seconds best{.cost = cost,
                 .slack_s = cost * groups_[group].work - groups_[group].first_a_s,
                 .next_slack_s = cost * groups_[next_group].work - a_s(next_group, group),
                 .group = group,
                 .next_group = next_group};
    best.most_s = best.slack_s;
    for (const Soon& soon : soon_) best.most_s = std::max(best.most_s, cost * soon.work - soon.a_s);
    return best;
  }
  /// Of the first of a group; of the next one where that one is taken.
  double a_s(std::size_t group, std::size_t taken) const {
    return group == taken ? groups_[group].second_a_s : groups_[group].first_a_s;
  }

  /// When a step on an idle worker, or on `soon`, ends at the latest to cost no more, alone or in a
  /// pair.
  double latest_s(const Seconds& seconds, double work, std::int32_t worker) const {
    const double alone_s = end_s(work, seconds.cost);
    if (!variant_.look_ahead) return alone_s;
    double slack_s =
        worker == groups_[seconds.group].first ? seconds.next_slack_s : seconds.slack_s;
    for (const Soon& soon : soon_) {
      const double worth_s = seconds.cost * soon.work;
      if (worth_s - soon.a_s <= slack_s || soon.worker == worker) continue;
      if (from_now(soon.ready_s) <= alone_s + worth_s) slack_s = worth_s - soon.a_s;
    }
    return alone_s + slack_s;
  }

  // The choice.

  /// Looks at all workers that may be worth as much, alone or as the second of a pair; whether
  /// there were others.
  bool look_for(double cost) {
    if (cost <= looked_for_ || cost == kNever) return false;  // of a single worker, no pair
    looked_for_ = cost;
    const double second_work = variant_.look_ahead ? largest_work_ : 0;
    const double until_s = now_s_ + end_s(second_work, cost);
    const std::size_t before = soon_.size();
    for (std::size_t side = 0; side < later_s_.size(); ++side) {
      if (later_s_[side] <= until_s + cost * groups_[side].work) {
        take_later(side, until_s + cost * groups_[side].work);
      }
    }
    return soon_.size() > before;
  }
  /// Of a step.
  double least_step_cost() const {
    double least = kNever;
    for (const Group& group : groups_) {
      const double its_cost = cost(group.work, group.first_a_s);
      least = its_cost < least ? its_cost : least;
    }
    for (const Soon& soon : soon_) least = std::min(least, cost(soon.work, step_end_s(soon)));
    return least;
  }

  /// Of a pair of different workers. Of two idle ones: those that leave most at the cost of some
  /// pair, again and again until there is none that costs clearly less.
  double least_pair_cost() {
    double least = kNever;
    for (double guess = last_cost_;;) {
      seconds_ = seconds(guess);
      const auto [group, next_group] = std::pair(seconds_.group, seconds_.next_group);
      guess = cost(groups_[group].work + groups_[next_group].work,
                   groups_[group].first_a_s + a_s(next_group, group));
      if (!(guess < least * (1 - 0x1p-40))) break;
      least = guess;
    }
    if (least == kNever) seconds_.most_s = seconds_.slack_s = kNever;  // any pair will do
    for (const Soon& soon : soon_) {
      const double alone_s = end_s(soon.work, seconds_.cost);
      const double its_end_s = step_end_s(soon);
      if (its_end_s <= alone_s + seconds_.slack_s) {
        least = cost_with_idle(soon.worker, soon.work, its_end_s, least);
      }
      if (its_end_s <= alone_s + seconds_.most_s) {
        least = cost_with_soon(soon.worker, soon.work, its_end_s, least);
      }
      if (soon.a_s > alone_s + seconds_.slack_s) continue;
      const double ready_s = from_now(soon.ready_s);
      for (const Group& group : groups_) {  // the second, after an idle one
        const double end_s = std::max(group.first_a_s + soon.a_s, ready_s);
        least = lesser_cost(group.work + soon.work, end_s, least);
      }
    }
    return least;
  }

  double least_cost() {
    looked_for_ = -kNever;
    while (idle_count_ + soon_.size() < std::min<std::size_t>(workers_.size(), 2)) look_for_one();
    for (;;) {
      double least = variant_.look_ahead ? least_pair_cost() : least_step_cost();
      if (look_for(least * (1 + 4 * kRelativeTolerance))) continue;
      return std::min(least, least_twice_cost(least));
    }
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
    std::size_t first = workers_.size();
    for (std::size_t begin = 0; begin < groups_.size(); begin += 64) {
      const std::size_t end = std::min(groups_.size(), begin + 64);
      std::uint64_t wanted = 0;
      for (std::size_t number = begin; number < end; ++number) {
        const double latest_s = end_s(groups_[number].work, bound) + seconds.most_s;
        const bool its = groups_[number].first_a_s <= latest_s;
        wanted |= std::uint64_t{its} << (number - begin);
      }
      for (; wanted != 0; wanted &= wanted - 1) {
        const std::size_t number = begin + static_cast<std::size_t>(std::countr_zero(wanted));
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
  /// Among the idle of a group, of which one is wanted.
  std::size_t first_idle(std::size_t number, const Seconds& seconds, std::size_t from) const {
    const Group& group = groups_[number];
    const double latest_s = this->latest_s(seconds, group.work, kNobody);
    if (group.first_a_s > latest_s) return workers_.size();
    const bool first_too = !variant_.look_ahead || number != seconds.group ||
                           group.first_a_s <= this->latest_s(seconds, group.work, group.first);
    if (group.second_a_s > latest_s) {
      const auto i = static_cast<std::size_t>(group.first);
      return first_too && i >= from ? i : workers_.size();
    }
    const Side& side = side_of_group(number);
    std::size_t slot = idle_[number].first(slot_from(side, from), latest_s);
    if (!first_too && worker_of(side, slot) == static_cast<std::size_t>(group.first)) {
      slot = idle_[number].first(slot + 1, latest_s);
    }
    return worker_of(side, slot);
  }

  std::size_t best() {
    past_s_ = variant_.local ? 0 : now_s_;
    achieved_ = variant_.local ? 0 : planned_work_;
    last_cost_ = least_cost();
    return scanned_least(
        last_cost_, workers_.size(),
        [this](std::size_t from, double bound) { return first(from, bound); },
        [this](std::size_t i) { return cost_of(i); });
  }

  Variant variant_;
  double planned_work_ = 0;
  double largest_work_ = 0;  ///< of a step
  double past_s_ = 0;        ///< the time before T that counts
  double achieved_ = 0;      ///< and the work
  Seconds seconds_;          ///< at the least cost of a pair of idle workers
  double looked_for_ = 0;    ///< with all that may cost so much
  double twice_s_ = kNever;  ///< no two steps of one worker end sooner
  bool twice_known_ = false;
  double last_cost_ = 0;  ///< of the best pair, or step, of the choice before
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
