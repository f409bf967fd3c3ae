// The comparison of a schedule of Polaris with those of other heuristics.
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

/// The widths of the panels of C that a heuristic assigns, except for the panel with the last
/// columns.
enum class PanelWidths {
  any,  ///< at most the chunk side of some memory layout: all heuristics of PPoPP'08
  full  ///< exactly the chunk side of the optimized layout: all of them except Hom, HomI and BMM
};

/// Lower bounds for schedules that send square chunks of C in panels: the port time and the time of
/// each worker (heuristics/star/polaris/README.md, "The seven").
class ChunkBound {
 public:
  ChunkBound(const Platform& platform, const Problem& problem, PanelWidths panels);

  /// Returns false if no such schedule on `enrolled` workers has a makespan of at most
  /// `makespan_s`.
  bool can_end_by(double makespan_s, std::size_t enrolled) const;
  /// Returns false if makespan x enrolled workers is larger than `work_s` in all such schedules.
  bool can_cost(double work_s) const;

 private:
  /// The cost of a full panel on one worker.
  struct Panel {
    double columns;
    double port_s;    ///< time of the port
    double worker_s;  ///< time of the worker
  };
  /// Returns the most columns that the worker can process within `makespan_s`.
  double max_columns_by(const Panel& panel, double makespan_s) const;

  double columns_;  ///< of C
  bool full_;
  std::vector<Panel> panels_;  ///< one per worker, the cheapest for the port first
};

/// A heuristic of PPoPP'08 that Polaris may run instead of its own schedule.
struct Rival {
  std::string name;
  std::shared_ptr<const Heuristic> heuristic;
  PanelWidths panels = PanelWidths::any;
};

/// Returns the best rival by the objective, or nullptr if none is below `threshold_s` (makespan, or
/// makespan x enrolled workers). Skips rivals that cannot be by ChunkBound, and aborts simulations
/// once they reach the threshold.
const Rival* find_best_rival(const std::vector<Rival>& rivals, const Platform& platform,
                             const Problem& problem, Objective objective, double threshold_s);

}  // namespace starport::polaris
