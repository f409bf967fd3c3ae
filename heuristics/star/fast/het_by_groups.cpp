#include "heuristics/star/fast/for_many.hpp"
#include "heuristics/star/fast/step_ends.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace starport::fast {
namespace {

/// Chooses step after step. Workers are grouped by side: in a group, the worker whose step
/// ends first is worth most.
///
/// Values are compared by their inverses, the seconds that each update costs: the smallest wins.
class GroupSelector {
 public:
  GroupSelector(const Variant& variant, const std::vector<StepCosts>& costs)
      : variant_(variant), clock_(costs, variant.count_c), places_(costs.size()) {
    std::map<std::int64_t, std::size_t> numbers;  // of the groups, by side
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const auto [number, created] = numbers.try_emplace(costs[i].mu, groups_.size());
      if (created) groups_.emplace_back().work = costs[i].updates;
      Group& group = groups_[number->second];
      places_[i] = {.group = number->second, .slot = group.workers.size()};
      group.workers.push_back(i);
    }
    floors_.resize(groups_.size());
    for (Group& group : groups_) {
      largest_work_ = std::max(largest_work_, group.work);
      group.ends = StepEnds(group.workers.size());
      group.twice = StepEnds(group.workers.size());
      for (const std::size_t i : group.workers) update(i);
    }
  }

  std::size_t choose() {
    const std::size_t i = best();
    clock_.choose(i);
    planned_work_ += clock_.workers[i].updates;
    for (Group& group : groups_) {
      group.ends.advance(clock_.communication_end_s);
      if (variant_.look_ahead) group.twice.advance(clock_.communication_end_s);
    }
    update(i);
    return i;
  }

 private:
  static constexpr std::size_t kNobody = SIZE_MAX;
  struct Group {
    double work = 0;  ///< of a step
    std::vector<std::size_t> workers;
    StepEnds ends{0};   ///< of their next step
    StepEnds twice{0};  ///< of their next step but one, were both chosen at once

    /// With look-ahead, of this choice: the slot whose step ends first, what its best pair with
    /// another costs, and that no pair costs less that begins with one of the other slots.
    std::size_t first = kNobody;
    double first_cost = 0;
    double rest_floor = 0;
  };
  struct Place {
    std::size_t group = 0;
    std::size_t slot = 0;
  };

  void update(std::size_t i) {
    Group& group = groups_[places_[i].group];
    const auto& [updates, communication_s, later_s, computation_s, ready_s] = clock_.workers[i];
    group.ends.set(places_[i].slot, communication_s, ready_s, 0);
    if (variant_.look_ahead)
      group.twice.set(places_[i].slot, communication_s, ready_s, second_s(i));
  }

  /// From the end of the next step of worker i to that of another one right after it.
  double second_s(std::size_t i) const {
    return std::max(clock_.workers[i].later_s, clock_.workers[i].computation_s);
  }

  /// Global: the end of the last communication over all the work planned. Local: the time that
  /// these steps add to the port over their work.
  double cost(double work, double end_s) const {
    return variant_.local ? (end_s - clock_.communication_end_s) / work
                          : end_s / (planned_work_ + work);
  }

  /// The best pair of a step of the group that ends at end_s and one of any worker but `excluded`,
  /// a slot of the group; `limit` when none costs less.
  double pair_cost(const Group& group, double end_s, std::size_t excluded,
                   double limit = kUnknown) const {
    for (const Group& other : groups_) {
      const double work = group.work + other.work;
      if (cost(work, other.ends.floor_then(end_s)) >= limit) continue;
      const std::size_t but = &other == &group ? excluded : kNobody;
      limit = std::min(limit, cost(work, other.ends.least_then(end_s, but)));
    }
    return limit;
  }

  double cost_of(const Group& group, std::size_t slot) const {
    const double end_s = group.ends.end_s(slot);
    if (!variant_.look_ahead) return cost(group.work, end_s);
    return std::min(cost(2 * group.work, end_s + second_s(group.workers[slot])),
                    pair_cost(group, end_s, slot));
  }

  /// No cost in the group is smaller. O(g).
  double least_cost_floor(const Group& group) const {
    if (!variant_.look_ahead) return cost(group.work, group.ends.least());
    double least = cost(2 * group.work, group.twice.least());
    for (const Group& other : groups_) {
      least =
          std::min(least, cost(group.work + other.work, other.ends.floor_then(group.ends.least())));
    }
    return least;
  }

  /// With look-ahead, the first of the best pair of different workers is the one whose step ends
  /// first, or, when that one is the best second choice too, the next.
  double least_cost(Group& group) const {
    if (!variant_.look_ahead) return cost(group.work, group.ends.least());
    const std::size_t first = at_most(group.ends, 0, group.ends.least());
    group.first = first;
    group.first_cost = pair_cost(group, group.ends.end_s(first), first);
    group.rest_floor = kUnknown;
    double least = std::min(cost(2 * group.work, group.twice.least()), group.first_cost);
    if (const double next_s = group.ends.least_but(first); next_s != kUnknown) {
      group.rest_floor = pair_cost(group, next_s, kNobody, least * (1 + 0x1p-20));
      if (group.rest_floor >= least) return least;
      std::size_t next = at_most(group.ends, 0, next_s);
      if (next == first) next = at_most(group.ends, first + 1, next_s);
      least = pair_cost(group, next_s, next, least);
    }
    return least;
  }

  static std::size_t at_most(const StepEnds& ends, std::size_t from, double bound_s) {
    return ends.first(from, [&](double end_s) { return end_s <= bound_s; });
  }

  /// The first slot from `from` on whose cost is at most `bound`.
  std::size_t first_in(const Group& group, std::size_t from, double bound) const {
    if (!variant_.look_ahead) {
      return group.ends.first(from, [&](double end_s) { return cost(group.work, end_s) <= bound; });
    }
    const std::size_t twice = cost(2 * group.work, group.twice.least()) > bound
                                  ? group.twice.size()
                                  : group.twice.first(from, [&](double end_s) {
                                      return cost(2 * group.work, end_s) <= bound;
                                    });
    if (group.first != kNobody && group.rest_floor > bound) {
      const bool wanted = group.first >= from && group.first_cost <= bound;
      return wanted ? std::min(group.first, twice) : twice;
    }
    const double above = std::nextafter(bound, kUnknown);
    const auto paired = [&](double end_s) {
      return end_s != kUnknown && pair_cost(group, end_s, kNobody, above) < above;
    };
    std::size_t slot = group.ends.first(from, paired);
    // Not with itself: that can mislead once, as of two workers each would be the other's second.
    while (slot < twice && pair_cost(group, group.ends.end_s(slot), slot, above) == above) {
      slot = group.ends.first(slot + 1, paired);
    }
    return std::min(slot, twice);
  }

  /// The group that seems to begin the best pair: its cost was last_cost_ a moment ago.
  std::size_t promising() const {
    std::size_t best = 0;
    double least_s = kUnknown;
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      const Group& group = groups_[number];
      const double beyond_s = group.ends.least() - last_cost_ * group.work;
      if (beyond_s >= least_s) continue;
      best = number;
      least_s = beyond_s;
    }
    return best;
  }

  /// No cost in a group is smaller than its floor. With look-ahead, a pair of groups G, H costs N /
  /// D, where D is the work and N, the time, is at least e_G + b_H: b_H is what the second step
  /// adds. For a given x, N - x D >= (e_G - x w_G) + (b_H - x w_H) - x W, whose least over H is
  /// that of the second term, the same for all G. So all groups have bounds in O(g); those that do
  /// not leave them out are followed by bounds on the pairs.
  void find_floors(double x) {
    if (!variant_.look_ahead) {
      std::ranges::transform(groups_, floors_.begin(),
                             [&](const Group& group) { return least_cost_floor(group); });
      return;
    }
    const double since_s = variant_.local ? clock_.communication_end_s : 0;
    const double achieved = variant_.local ? 0 : planned_work_;
    double latest_s = 0;
    for (const Group& group : groups_) latest_s = std::max(latest_s, group.ends.least());
    double second_s = kUnknown;
    for (const Group& group : groups_) {
      second_s = std::min(second_s, group.ends.floor_after(latest_s) - x * group.work);
    }
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      const Group& group = groups_[number];
      const double work = achieved + group.work;
      const double beyond_s = group.ends.least() - since_s - x * work + second_s;
      const double floor = std::min(cost(2 * group.work, group.twice.least()),
                                    x + beyond_s / (work + largest_work_));
      floors_[number] = beyond_s > 0 && floor > x * (1 + 0x1p-20) ? floor : least_cost_floor(group);
    }
  }

  std::size_t best() {
    for (Group& group : groups_) group.first = kNobody;
    // From the most promising group on, those that may still have the least cost.
    auto& floors = floors_;
    const std::size_t promising = this->promising();
    double least = least_cost(groups_[promising]);
    find_floors(least);
    floors[promising] = least;
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      if (number == promising || floors[number] >= least) continue;
      floors[number] = least_cost(groups_[number]);
      least = std::min(least, floors[number]);
    }
    last_cost_ = least;
    return scanned_least(
        least, places_.size(),
        [&](std::size_t from, double bound) {
          std::size_t first = places_.size();
          for (std::size_t number = 0; number < groups_.size(); ++number) {
            if (floors[number] > bound) continue;
            const Group& group = groups_[number];
            const auto slot = std::lower_bound(group.workers.begin(), group.workers.end(), from) -
                              group.workers.begin();
            const std::size_t found = first_in(group, static_cast<std::size_t>(slot), bound);
            if (found < group.workers.size()) first = std::min(first, group.workers[found]);
          }
          return first;
        },
        [&](std::size_t i) { return cost_of(groups_[places_[i].group], places_[i].slot); });
  }

  Variant variant_;
  PlanningClock<> clock_;
  std::vector<Place> places_;
  std::vector<Group> groups_;
  double planned_work_ = 0;
  std::vector<double> floors_;  ///< of the costs in each group; not allocated at each step
  double largest_work_ = 0;     ///< of a step
  double last_cost_ = 0;        ///< of the best pair, or step, of the choice before
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
