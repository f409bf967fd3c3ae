#include "heuristics/star/fast/for_many.hpp"
#include "heuristics/star/fast/later_workers.hpp"
#include "heuristics/star/fast/step_ends.hpp"

#include <algorithm>
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
        groups_.emplace_back(side.work, side.workers.size());
      }
    }
    for (std::size_t i = 0; i < costs.size(); ++i) {
      group_of(i).idle.set(places_[i].slot, clock_.workers[i].communication_s);
    }
    for (std::size_t number = 0; number < groups_.size(); ++number) find_first(number);
    idle_ = costs.size();
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
  struct Group {
    Group(double work, std::size_t size) : work(work), idle(size) {}

    double work;
    double first_a_s = kNever;   ///< the least a_i of the idle,
    std::size_t first = kNobody; ///< whose it is,
    double second_a_s = kNever;  ///< and the least of the others
    Tournament idle;             ///< a_i, by slot
    LaterWorkers later;
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

  std::size_t group_number(std::size_t i) const {
    const auto& worker = clock_.workers[i];
    const bool served = worker.communication_s == worker.later_s;
    return places_[i].side + (served ? 0 : sides_.size());
  }
  Group& group_of(std::size_t i) { return groups_[variant_.count_c ? group_number(i) : places_[i].side]; }

  void find_first(std::size_t number) {
    Group& group = groups_[number];
    group.first_a_s = group.idle.least();
    group.first = kNobody;
    group.second_a_s = kNever;
    if (group.first_a_s == kNever) return;
    const std::size_t slot = group.idle.one_of_least();
    group.first = sides_[number % sides_.size()].workers[slot];
    group.second_a_s = group.idle.least_but(slot);
  }

  void set_idle(std::size_t i, double a_s) {
    Group& group = group_of(i);
    group.idle.set(places_[i].slot, a_s);
    find_first(static_cast<std::size_t>(&group - groups_.data()));
    idle_ += a_s == kNever ? -1 : 1;
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
    LaterWorkers& later = groups_[places_[i].side].later;
    if (worker.ready_s <= later.taken_s()) return add_soon(i);
    later.push(worker.ready_s, i);
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
    double slack_s = 0;      ///< the most that an idle worker leaves,
    std::size_t best = kNobody;  ///< which one does,
    double next_slack_s = 0;  ///< and the most of the others
  };
  Seconds seconds(double cost) const {
    Seconds seconds{.cost = cost};
    if (!variant_.look_ahead) return seconds;
    seconds.slack_s = seconds.next_slack_s = -kNever;
    for (const Group& group : groups_) {
      const double worth_s = cost * group.work;
      const double slack_s = worth_s - group.first_a_s;
      if (slack_s > seconds.slack_s) {
        seconds.next_slack_s = std::max(seconds.slack_s, worth_s - group.second_a_s);
        seconds.slack_s = slack_s;
        seconds.best = group.first;
      } else {
        seconds.next_slack_s = std::max(seconds.next_slack_s, slack_s);
      }
    }
    return seconds;
  }

  /// When a step on a worker ends at the latest to cost no more, alone or in a pair.
  double latest_s(const Seconds& seconds, double work, std::size_t worker) const {
    const double alone_s = end_s(work, seconds.cost);
    if (!variant_.look_ahead) return alone_s;
    double slack_s = worker == seconds.best ? seconds.next_slack_s : seconds.slack_s;
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
    const std::size_t before = soon_.size();
    for (std::size_t number = 0; number < sides_.size(); ++number) {
      const double until_s = clock_.communication_end_s + end_s(groups_[number].work + second_work, cost);
      LaterWorkers& later = groups_[number].later;
      if (later.floor_s() <= until_s) later.take_until(until_s, [&](std::size_t i) { add_soon(i); });
    }
    return soon_.size() > before;
  }
  void look_for_one() {
    LaterWorkers* earliest = &groups_[0].later;
    for (Group& group : groups_) {
      if (group.later.floor_s() < earliest->floor_s()) earliest = &group.later;
    }
    earliest->take_until(earliest->floor_s(), [&](std::size_t i) { add_soon(i); });
  }

  /// Of a step.
  double least_step_cost() const {
    double least = kNever;
    for (const Group& group : groups_) least = std::min(least, cost(group.work, group.first_a_s));
    for (const Soon& soon : soon_) least = std::min(least, cost(soon.work, step_end_s(soon)));
    return least;
  }
  /// Of a pair: first one that costs about as little as the last, then all that cost less.
  double least_pair_cost() const {
    std::size_t first = kNobody;
    double beyond_s = kNever;
    const auto consider = [&](std::size_t i, double work, double end_s) {
      if (end_s - last_cost_ * work >= beyond_s) return;
      beyond_s = end_s - last_cost_ * work;
      first = i;
    };
    for (const Group& group : groups_) consider(group.first, group.work, group.first_a_s);
    for (const Soon& soon : soon_) consider(soon.worker, soon.work, step_end_s(soon));
    double least = cost_of(first);
    const Seconds seconds = this->seconds(least);
    const auto try_first = [&](std::size_t i, double work, double end_s) {
      if (end_s < latest_s(seconds, work, i)) least = pair_cost(i, work, end_s, least);
    };
    for (const Group& group : groups_) try_first(group.first, group.work, group.first_a_s);
    for (const Soon& soon : soon_) try_first(soon.worker, soon.work, step_end_s(soon));
    return least;
  }

  double least_cost() {
    look_for(last_cost_);
    while (idle_ + soon_.size() < std::min<std::size_t>(places_.size(), 2)) look_for_one();
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
    const Seconds seconds = this->seconds(bound);
    std::size_t first = places_.size();
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      const Group& group = groups_[number];
      if (group.first == kNobody) continue;
      first = std::min(first, first_idle(number, seconds, from));
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
  /// Among the idle of a group.
  std::size_t first_idle(std::size_t number, const Seconds& seconds, std::size_t from) const {
    const Group& group = groups_[number];
    const double latest_s = this->latest_s(seconds, group.work, kNobody);
    if (group.first_a_s > latest_s) return places_.size();
    const bool own = group.first == seconds.best;  // the first is the best second itself
    const bool first_too =
        !own || group.first_a_s <= this->latest_s(seconds, group.work, group.first);
    if (group.second_a_s > latest_s) {
      return first_too && group.first >= from ? group.first : places_.size();
    }
    const Side& side = sides_[number % sides_.size()];
    const auto wanted = [&](double a_s) { return a_s <= latest_s; };
    std::size_t slot = group.idle.first(slot_from(side, from), wanted);
    if (!first_too && slot == places_[group.first].slot) slot = group.idle.first(slot + 1, wanted);
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
  std::vector<Soon> soon_;
  std::size_t idle_ = 0;
  double planned_work_ = 0;
  double largest_work_ = 0;  ///< of a step
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
