// The best of other heuristics, where it is better than a schedule at hand.
#pragma once

#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/heuristic.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace starport::polaris {

/// How wide the panels of C are, all but the one that takes the last columns.
enum class Panels {
  any,  ///< of the side that the worker's memory holds in some layout, or less: the seven of
        ///< PPoPP'08
  full  ///< of the side of the optimized layout: those of them but Hom, HomI and BMM
};

/// A relaxation: the time of the port and of each worker (heuristics/star/polaris/README.md, "The
/// seven").
class ChunkBound {
 public:
  ChunkBound(const Platform& platform, const Problem& problem, Panels panels);

  /// False when no such schedule on so many workers ends by then.
  bool may_end_by(double makespan_s, std::size_t enrolled) const;
  /// False when no such schedule has a makespan x enrolled workers of that or less.
  bool may_cost(double work_s) const;

 private:
  struct Panel {
    double columns;  ///< of a full one
    double port_s;
    double worker_s;
  };
  double columns_by(const Panel& panel, double makespan_s) const;

  double columns_;  ///< of C
  bool full_;
  std::vector<Panel> panels_;  ///< of the workers, the cheapest for the port first
};

/// A heuristic of chunks.
struct Rival {
  std::string name;
  std::shared_ptr<const Heuristic> heuristic;
  Panels panels = Panels::any;
};

/// The best rival by the objective; nullptr when none of them has a makespan, or a makespan x
/// enrolled workers, below `to_beat_s`. Those that cannot, by a bound, are not planned, and runs
/// are given up when they are no better any more.
const Rival* best_rival(const std::vector<Rival>& rivals, const Platform& platform,
                        const Problem& problem, Objective objective, double to_beat_s);

}  // namespace starport::polaris
