#include "heuristics/star/lanes.hpp"
#include "heuristics/star/selection.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace starport {
namespace {

/// The same number of some workers next to each other, as many as the processor works on at once.
constexpr std::size_t kTile = 4;
using Tile = std::array<Lanes, kTile>;
constexpr std::size_t kTileWorkers = kTile * kLanes;

Tile tile_of(double x) {
  Tile tile;
  tile.fill(in_all_lanes(x));
  return tile;
}
void replace(Tile& tile, std::size_t i, double x) {
  Lanes& lanes = tile[i % kTileWorkers / kLanes];
  lanes = replaced(lanes, i % kLanes, x);
}

/// Values are compared by their inverses, the seconds that each update costs: the smallest wins.
/// An unusable worker, and what fills up the last tile, ends never.
class ScanSelector {
 public:
  ScanSelector(Selection selection, const PlanningClock& clock)
      : selection_(selection),
        clock_(clock),
        singles_((clock.workers() + kTileWorkers - 1) / kTileWorkers),
        costs_(clock.workers()),
        pairs_(selection.look_ahead ? clock.workers() * singles_.size() : 0) {
    for (Steps& steps : singles_) steps.ready_s = tile_of(LaneNumbers::kNone);
    for (std::size_t i = 0; i < clock.workers(); ++i) {
      set_work(singles_[i / kTileWorkers], i, clock.work(i));
      for (std::size_t j = 0; selection.look_ahead && j < clock.workers(); ++j) {
        set_work(pairs(i, j), i, clock.work(i) + clock.work(j));
      }
    }
    for (std::size_t i = 0; i < clock.workers(); ++i) update(i);
  }

  const PlanningClock& clock() const { return clock_; }

  std::size_t choose() {
    for (std::size_t n = 0; n < singles_.size(); ++n) {
      const Tile costs = selection_.local ? least_costs<true>(n) : least_costs<false>(n);
      for (std::size_t g = 0; g < kTile && n * kTile + g < costs_.groups(); ++g) {
        costs_.group(n * kTile + g) = costs[g];
      }
    }
    const std::size_t best = costs_.first_of_least();
    clock_.choose(best);
    planned_work_ += clock_.work(best);
    update(best);
    return best;
  }

 private:
  /// What decides max(T + communication, ready), the end of a step, for the workers of the tile;
  /// or of a step of one worker right after one of each of these, where T is the end of the first.
  struct Steps {
    Tile communication_s = tile_of(0);
    Tile ready_s = tile_of(0);
    Tile work = tile_of(1);  ///< of the step, or of both; its inverse for the local ratio

    Lanes end_s(std::size_t g, Lanes now_s) const {
      return largest(now_s + communication_s[g], ready_s[g]);
    }
  };

  void set_work(Steps& steps, std::size_t i, double work) {
    replace(steps.work, i, selection_.local ? 1 / work : work);
  }

  /// Of a step of worker j right after one of worker i.
  Steps& pairs(std::size_t i, std::size_t j) {
    return pairs_[i / kTileWorkers * clock_.workers() + j];
  }

  /// The next step of worker i has changed.
  void update(std::size_t i) {
    Steps& single = singles_[i / kTileWorkers];
    replace(single.communication_s, i, clock_.communication_s(i));
    replace(single.ready_s, i, clock_.ready_s(i));
    if (!selection_.look_ahead) return;
    for (std::size_t first = 0; first < clock_.workers(); first += kTileWorkers) {
      pairs(first, i).communication_s = tile_of(clock_.communication_s(i));
      pairs(first, i).ready_s = tile_of(clock_.ready_s(i));
    }
    replace(pairs(i, i).communication_s, i, clock_.second_s(i));
    replace(pairs(i, i).ready_s, i, 0);
  }

  /// Global: the end of the last communication over all the work planned. Local: the time that
  /// these steps add to the port over their work.
  template <bool local>
  Lanes cost(Lanes work, Lanes end_s) const {
    return local ? (end_s - in_all_lanes(clock_.communication_end_s())) * work
                 : end_s / (in_all_lanes(planned_work_) + work);
  }

  /// Of the workers of a tile, each with the best second choice where there is look-ahead.
  template <bool local>
  Tile least_costs(std::size_t n) const {
    const Lanes now_s = in_all_lanes(clock_.communication_end_s());
    Tile end_s;
    Tile costs;
    for (std::size_t g = 0; g < kTile; ++g) {
      end_s[g] = singles_[n].end_s(g, now_s);
      costs[g] = cost<local>(singles_[n].work[g], end_s[g]);
    }
    if (!selection_.look_ahead) return costs;
    costs = tile_of(LaneNumbers::kNone);
    const Steps* const begin = &pairs_[n * clock_.workers()];
    for (const Steps* second = begin; second != begin + clock_.workers(); ++second) {
      for (std::size_t g = 0; g < kTile; ++g) {
        costs[g] = least(cost<local>(second->work[g], second->end_s(g, end_s[g])), costs[g]);
      }
    }
    return costs;
  }

  Selection selection_;
  PlanningClock clock_;
  std::vector<Steps> singles_;
  LaneNumbers costs_;
  std::vector<Steps> pairs_;
  double planned_work_ = 0;
};

}  // namespace

std::vector<StepOrder> select_by_scan(std::span<const Selection> selections,
                                      const Platform& platform, const Problem& problem,
                                      const MemoryLayout& layout, double limit_s) {
  std::vector<ScanSelector> selectors;
  for (const Selection& selection : selections) {
    selectors.emplace_back(selection, PlanningClock(platform, problem, layout, selection.count_c));
  }
  return select_together(std::move(selectors), problem, limit_s);
}

}  // namespace starport
