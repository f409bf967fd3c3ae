// What a tiling is expected to cost, without serving it; first tilings, and changing one, judged by
// that.
#pragma once

#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/per_worker.hpp"

#include <cstdint>
#include <vector>

namespace starport::polaris {

struct StripCost {
  double port_s = 0;
  double longest_s = 0;  ///< of the computations, lag included
};

/// Of one worker's rectangle.
struct PartCost {
  double port_s = 0;    ///< infinite when it cannot do it
  double update_s = 0;  ///< of a block update
};

class Estimator {
 public:
  Estimator(const Platform& platform, const Problem& problem, const ModeChoice& choice);

  StripCost cost(const Tiling& tiling, const Strip& strip, bool lags = true) const;
  /// The longer of port and computations; infinite when a worker cannot do its part.
  double makespan_s(const Tiling& tiling, bool lags = true) const;
  /// The same without lags: no schedule ends much sooner.
  double least_s(const Tiling& tiling) const { return makespan_s(tiling, false); }
  PartCost part(int worker, std::int64_t rows, std::int64_t columns) const;

  ModeChoice modes;
  /// What the estimate does not see, measured on served schedules: the time that a worker's updates
  /// wait and what comes after them.
  PerWorker<double> lags_s;
  mutable std::int64_t operations = 0;  ///< so far, in rectangles looked at

 private:
  PartCost part_anew(int worker, std::int64_t rows, std::int64_t columns) const;

  const Platform* platform_;
  const Problem* problem_;
  /// The last of the parts of each hash: most come again soon.
  struct Known {
    int worker = -1;
    bool ahead = false;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    PartCost cost;
  };
  mutable std::vector<Known> known_;
};

/// Threshold accepting (Dueck and Scheuer 1990; no exponential, so the same everywhere) for so many
/// of the estimator's operations; returns the best tiling met. Those in `idle` may be enrolled.
Tiling anneal(const Tiling& from, const std::vector<int>& idle, const Estimator& estimator,
              const Problem& problem, std::int64_t operations, bool several_strips, Draws& draws);

/// Tilings to start from, the most promising (by the estimate) first, at most `count`.
std::vector<Tiling> first_tilings(const Platform& platform, const Problem& problem,
                                  const Estimator& estimator, std::size_t count,
                                  bool several_strips);

}  // namespace starport::polaris
