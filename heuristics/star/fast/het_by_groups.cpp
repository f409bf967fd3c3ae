#include "heuristics/star/fast/for_many.hpp"
#include "heuristics/star/fast/later_workers.hpp"
#include "heuristics/star/fast/step_ends.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>

namespace starport::fast {
namespace {

/// Chooses step after step. Workers are grouped by side, and where C counts those not served yet
/// apart. Dates are taken from T on, the end of the last communication: the next step of worker i
/// ends at e_i = max(a_i, ready_i - T), and one on worker j after it at max(e_i + a_j, ready_j - T).
///
/// Of the idle of a group (e_i = a_i) the one of least a_i is worth most. The busy are looked at
/// one by one once they are ready soon: before what their step, or their pair, may cost.
///
/// Values are compared by their inverses, the seconds that each update costs: the smallest wins.
class GroupSelector {
 public:
  GroupSelector(const Variant& variant, const std::vector<StepCosts>& costs)
      : variant_(variant), clock_(costs, variant.count_c), places_(costs.size()) {
    std::map<std::int64_t, std::size_t> numbers;  // of the sides
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const auto [number, created] = numbers.try_emplace(costs[i].mu, sides_.size());
      if (created) sides_.push_back({.work = costs[i].updates});
      Side& side = sides_[number->second];
      places_[i] = {.side = number->second, .slot = side.workers.size()};
      side.workers.push_back(i);
      side.twice_s =
          std::min(side.twice_s, clock_.workers[i].communication_s + another_s(i));
    }
    groups_.reserve(2 * sides_.size());
    for (const bool served : {true, false}) {
      if (!served && !variant.count_c) continue;
      for (const Side& side : sides_) {
        largest_work_ = std::max(largest_work_, side.work);
        groups_.push_back({.work = side.work});
        idle_.emplace_back(side.workers.size());
      }
    }
    for (std::size_t i = 0; i < costs.size(); ++i) {
      idle_[group_of(i)].set(places_[i].slot, clock_.workers[i].communication_s);
    }
    for (std::size_t number = 0; number < groups_.size(); ++number) find_first(number);
    idle_count_ = costs.size();
    later_ = std::vector<LaterWorkers>(sides_.size());
    later_s_.assign(sides_.size(), kNever);
    latest_s_.resize(groups_.size());
  }

  std::size_t choose() {
    const std::size_t i = best();
    take_away(i);
    clock_.choose(i);
    planned_work_ += clock_.workers[i].updates;
    settle();
    put(i);
    for (Side& side : sides_) {
      if (side.twice) side.twice->advance(clock_.communication_end_s);
    }
    Side& side = sides_[places_[i].side];
    if (side.twice) set_twice(side, i);
    return i;
  }

 private:
  static constexpr std::size_t kNobody = SIZE_MAX;
  static constexpr double kNever = Tournament::kNone;

  struct Side {
    double work = 0;  ///< of a step
    std::vector<std::size_t> workers = {};
    double twice_s = kNever;  ///< no two steps of one worker end sooner
    /// The ends of such two, once they may be worth something.
    std::optional<StepEnds> twice = {};
  };
  /// What is looked at of each group at every step.
  struct Group {
    double work;                  ///< of a step
    double first_a_s = kNever;    ///< the least a_i of the idle,
    double second_a_s = kNever;   ///< the least of the others,
    std::size_t first = kNobody;  ///< and whose the first is
  };
  /// A busy worker that is ready soon.
  struct Soon {
    double ready_s;
    double a_s;
    double work;
    std::size_t worker;
  };
  struct Place {
    std::size_t side = 0;
    std::size_t slot = 0;
    std::size_t soon = kNobody;  ///< its number there
  };

  // Where workers are.

  std::size_t group_of(std::size_t i) const {
    if (!variant_.count_c) return places_[i].side;
    const auto& worker = clock_.workers[i];
    return places_[i].side + (worker.communication_s == worker.later_s ? 0 : sides_.size());
  }
  std::size_t side_of_group(std::size_t number) const {
    return number < sides_.size() ? number : number - sides_.size();
  }

  void find_first(std::size_t number) {
    Group& group = groups_[number];
    const Tournament& idle = idle_[number];
    const std::size_t slot = idle.one_of_least();
    group.first_a_s = idle.least();
    group.second_a_s = idle.least_but(slot);
    group.first =
        group.first_a_s == kNever ? kNobody : sides_[side_of_group(number)].workers[slot];
  }

  void set_idle(std::size_t i, double a_s) {
    const std::size_t number = group_of(i);
    idle_[number].set(places_[i].slot, a_s);
    find_first(number);
    idle_count_ += a_s == kNever ? -1 : 1;
  }

  void take_away(std::size_t i) {
    if (places_[i].soon == kNobody) return set_idle(i, kNever);
    remove_soon(places_[i].soon);
  }
  void remove_soon(std::size_t n) {
    places_[soon_[n].worker].soon = kNobody;
    soon_[n] = soon_.back();
    soon_.pop_back();
    if (n < soon_.size()) places_[soon_[n].worker].soon = n;
  }
  void add_soon(std::size_t i) {
    places_[i].soon = soon_.size();
    const auto& worker = clock_.workers[i];
    soon_.push_back({worker.ready_s, worker.later_s, worker.updates, i});
  }

  /// Those that would not be waited for any more are idle.
  void settle() {
    for (std::size_t n = 0; n < soon_.size();) {
      const std::size_t i = soon_[n].worker;
      if (from_now(soon_[n].ready_s) > soon_[n].a_s) {
        ++n;
        continue;
      }
      remove_soon(n);
      set_idle(i, clock_.workers[i].later_s);
    }
  }
  /// A worker that was served.
  void put(std::size_t i) {
    const auto& worker = clock_.workers[i];
    if (from_now(worker.ready_s) <= worker.later_s) return set_idle(i, worker.later_s);
    const std::size_t side = places_[i].side;
    if (worker.ready_s <= later_[side].taken_s()) return add_soon(i);
    later_[side].push(worker.ready_s, i);
    later_s_[side] = later_[side].floor_s();
  }

  double from_now(double date_s) const { return date_s - clock_.communication_end_s; }

  // What steps cost.

  /// Of steps of so much work, the last of which ends then. Global: the end of the last
  /// communication over all the work planned. Local: the time that these steps add to the port over
  /// their work.
  double cost(double work, double end_s) const { return (past_s_ + end_s) / (achieved_ + work); }
  /// When such steps end, if they cost so much.
  double end_s(double work, double cost) const { return cost * (achieved_ + work) - past_s_; }

  double step_end_s(std::size_t i) const {
    const auto& worker = clock_.workers[i];
    return std::max(worker.communication_s, from_now(worker.ready_s));
  }
  double step_end_s(const Soon& soon) const { return std::max(soon.a_s, from_now(soon.ready_s)); }
  /// From the end of the next step of worker i to that of another one right after it.
  double another_s(std::size_t i) const {
    return std::max(clock_.workers[i].later_s, clock_.workers[i].computation_s);
  }

  double cost_of(std::size_t i) const {
    const double work = clock_.workers[i].updates;
    if (!variant_.look_ahead) return cost(work, step_end_s(i));
    return pair_cost(i, work, step_end_s(i), cost(2 * work, step_end_s(i) + another_s(i)));
  }

  /// Of the best pair of a step on a worker, which ends then, and one of another; `limit` when none
  /// costs less.
  double pair_cost(std::size_t first, double first_work, double first_end_s, double limit) const {
    const auto consider = [&](double second_work, double end_s) {
      const double work = first_work + second_work;
      if (past_s_ + end_s < limit * (achieved_ + work)) limit = cost(work, end_s);
    };
    for (const Group& group : groups_) {
      const double a_s = group.first == first ? group.second_a_s : group.first_a_s;
      if (a_s != kNever) consider(group.work, first_end_s + a_s);
    }
    for (const Soon& soon : soon_) {
      if (soon.worker == first) continue;
      consider(soon.work, std::max(first_end_s + soon.a_s, from_now(soon.ready_s)));
    }
    return limit;
  }

  /// What is left for the end of a first step, for a pair to cost no more than this: a second step
  /// that takes a_j leaves cost w_j - a_j besides what the first is worth itself.
  struct Seconds {
    double cost;
    double slack_s = 0;       ///< the most that an idle worker leaves,
    double next_slack_s = 0;  ///< the most of the others,
    std::size_t group = 0;    ///< and the groups of both
    std::size_t next_group = 0;
  };
  /// No branch depends on the dates, which would be foretold badly: numbers >= 0 are in the order of
  /// their bits, and the last of these tell the group.
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
    return {.cost = cost,
            .slack_s = cost * groups_[group].work - groups_[group].first_a_s,
            .next_slack_s = cost * groups_[next_group].work - a_s(next_group, group),
            .group = group,
            .next_group = next_group};
  }
  /// Of the first of a group; of the next one where that one is taken.
  double a_s(std::size_t group, std::size_t taken) const {
    return group == taken ? groups_[group].second_a_s : groups_[group].first_a_s;
  }

  /// When a step on an idle worker, or on `soon`, ends at the latest to cost no more, alone or in a
  /// pair.
  double latest_s(const Seconds& seconds, double work, std::size_t worker) const {
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
    const double second_work = variant_.look_ahead ? largest_work_ : 0;
    const double until_s = clock_.communication_end_s + end_s(second_work, cost);
    const std::size_t before = soon_.size();
    for (std::size_t side = 0; side < later_s_.size(); ++side) {
      if (later_s_[side] <= until_s + cost * groups_[side].work) {
        take_later(side, until_s + cost * groups_[side].work);
      }
    }
    return soon_.size() > before;
  }
  void take_later(std::size_t side, double until_s) {
    later_[side].take_until(until_s, [this](std::size_t i) { add_soon(i); });
    later_s_[side] = later_[side].floor_s();
  }
  void look_for_one() {
    const auto earliest = std::ranges::min_element(later_s_);
    take_later(static_cast<std::size_t>(earliest - later_s_.begin()), *earliest);
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
  double least_pair_cost() const {
    double least = kNever;
    for (double guess = last_cost_;;) {
      const Seconds best = seconds(guess);
      guess = cost(groups_[best.group].work + groups_[best.next_group].work,
                   groups_[best.group].first_a_s + a_s(best.next_group, best.group));
      if (!(guess < least * (1 - 0x1p-40))) break;
      least = guess;
    }
    for (const Soon& soon : soon_) {
      least = pair_cost(soon.worker, soon.work, step_end_s(soon), least);
      const double ready_s = from_now(soon.ready_s);
      for (const Group& group : groups_) {
        const double end_s = std::max(group.first_a_s + soon.a_s, ready_s);
        const double work = group.work + soon.work;
        if (past_s_ + end_s < least * (achieved_ + work)) least = cost(work, end_s);
      }
    }
    return least;
  }

  double least_cost() {
    look_for(last_cost_);
    while (idle_count_ + soon_.size() < std::min<std::size_t>(places_.size(), 2)) look_for_one();
    for (;;) {
      double least = variant_.look_ahead ? least_pair_cost() : least_step_cost();
      if (look_for(least * (1 + 4 * kRelativeTolerance))) continue;
      for (Side& side : sides_) {
        if (may_serve_twice(side, least)) {
          least = std::min(least, cost(2 * side.work, from_now(side.twice->least())));
        }
      }
      return least;
    }
  }

  /// Whether two steps of one worker may cost so little; their ends are known then.
  bool may_serve_twice(Side& side, double cost) {
    if (!variant_.look_ahead || side.twice_s > end_s(2 * side.work, cost)) return false;
    if (side.twice) return true;
    side.twice.emplace(side.workers.size());
    side.twice->advance(clock_.communication_end_s);
    for (const std::size_t i : side.workers) set_twice(side, i);
    return true;
  }
  void set_twice(Side& side, std::size_t i) {
    const auto& worker = clock_.workers[i];
    side.twice->set(places_[i].slot, worker.communication_s, worker.ready_s, another_s(i));
  }

  /// The first worker from `from` on that costs at most `bound`; how many there are when there is
  /// none.
  std::size_t first(std::size_t from, double bound) {
    look_for(bound);
    const Seconds seconds = variant_.look_ahead ? this->seconds(bound) : Seconds{.cost = bound};
    std::size_t first = places_.size();
    find_latest(seconds);
    for (std::size_t begin = 0; begin < groups_.size(); begin += 64) {
      const std::size_t end = std::min(groups_.size(), begin + 64);
      std::uint64_t wanted = 0;
      for (std::size_t number = begin; number < end; ++number) {
        const bool its = groups_[number].first_a_s <= latest_s_[number];
        wanted |= std::uint64_t{its} << (number - begin);
      }
      for (; wanted != 0; wanted &= wanted - 1) {
        const std::size_t number = begin + static_cast<std::size_t>(std::countr_zero(wanted));
        first = std::min(first, first_idle(number, seconds, from));
      }
    }
    for (const Soon& soon : soon_) {
      if (soon.worker < from || soon.worker >= first) continue;
      if (step_end_s(soon) <= latest_s(seconds, soon.work, soon.worker)) first = soon.worker;
    }
    for (Side& side : sides_) {
      if (!may_serve_twice(side, bound)) continue;
      const std::size_t slot = side.twice->first(slot_from(side, from), [&](double date_s) {
        return cost(2 * side.work, from_now(date_s)) <= bound;
      });
      if (slot < side.workers.size()) first = std::min(first, side.workers[slot]);
    }
    return first;
  }
  static std::size_t slot_from(const Side& side, std::size_t from) {
    if (from == 0) return 0;
    return static_cast<std::size_t>(std::ranges::lower_bound(side.workers, from) -
                                    side.workers.begin());
  }
  /// The same of the idle workers of each group, but for the best second.
  void find_latest(const Seconds& seconds) {
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      latest_s_[number] = end_s(groups_[number].work, seconds.cost) + seconds.slack_s;
    }
    if (!variant_.look_ahead) return;
    for (const Soon& soon : soon_) {
      const double worth_s = seconds.cost * soon.work;
      const double ready_s = from_now(soon.ready_s);
      for (std::size_t number = 0; number < groups_.size(); ++number) {
        const double pair_s = end_s(groups_[number].work, seconds.cost) + worth_s;
        const double latest_s = ready_s <= pair_s ? pair_s - soon.a_s : 0;
        latest_s_[number] = std::max(latest_s_[number], latest_s);
      }
    }
  }
  /// Among the idle of a group, of which one is wanted.
  std::size_t first_idle(std::size_t number, const Seconds& seconds, std::size_t from) const {
    const Group& group = groups_[number];
    const double latest_s = latest_s_[number];
    const bool first_too =
        !variant_.look_ahead || number != seconds.group ||
        group.first_a_s <= this->latest_s(seconds, group.work, group.first);
    if (group.second_a_s > latest_s) {
      return first_too && group.first >= from ? group.first : places_.size();
    }
    const Side& side = sides_[side_of_group(number)];
    const Tournament& idle = idle_[number];
    const auto wanted = [&](double a_s) { return a_s <= latest_s; };
    std::size_t slot = idle.first(slot_from(side, from), wanted);
    if (!first_too && slot == places_[group.first].slot) slot = idle.first(slot + 1, wanted);
    return slot < side.workers.size() ? side.workers[slot] : places_.size();
  }

  std::size_t best() {
    past_s_ = variant_.local ? 0 : clock_.communication_end_s;
    achieved_ = variant_.local ? 0 : planned_work_;
    last_cost_ = least_cost();
    return scanned_least(
        last_cost_, places_.size(),
        [this](std::size_t from, double bound) { return first(from, bound); },
        [this](std::size_t i) { return cost_of(i); });
  }

  Variant variant_;
  PlanningClock<> clock_;
  std::vector<Place> places_;
  std::vector<Side> sides_;
  std::vector<Group> groups_;  ///< of each side; then, where C counts, of those not served yet
  std::vector<Tournament> idle_;     ///< in each group: a_i, by slot
  std::size_t idle_count_ = 0;
  std::vector<Soon> soon_;
  std::vector<LaterWorkers> later_;  ///< of each side
  std::vector<double> later_s_;      ///< none of a side is ready before
  double planned_work_ = 0;
  double largest_work_ = 0;  ///< of a step
  std::vector<double> latest_s_;  ///< of find_latest; not allocated at each step
  double past_s_ = 0;        ///< the time before T that counts
  double achieved_ = 0;      ///< and the work
  double last_cost_ = 0;     ///< of the best pair, or step, of the choice before
};

}  // namespace

std::vector<PanelOrder> select_by_groups(std::span<const Selection> selections) {
  std::vector<PanelOrder> orders;
  for (const auto& [variant, costs, problem, limit_s] : selections) {
    GroupSelector selector(variant, *costs);
    PanelOrder& order = orders.emplace_back(*costs, *problem, limit_s);
    while (order.open()) order.add(selector.choose());
  }
  return orders;
}

}  // namespace starport::fast
