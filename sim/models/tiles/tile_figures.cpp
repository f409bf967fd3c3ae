#include "sim/models/tiles/tile_figures.hpp"

#include "sim/results/common_figures.hpp"
#include "sim/results/comparison.hpp"

#include <cmath>
#include <limits>

namespace starport::tiles {
namespace {

/// None without a bound, or where nothing is moved.
Value ratio(double of, double to) { return of / to < 1e300 ? Value(of / to) : Value(); }

}  // namespace

Value times_any_run(const RecordContext& row) { return ratio(row[kMakespan], row[kAnyRunBound]); }
Value times_volume(const RecordContext& row) { return ratio(row[kVolume], row[kVolumeBound]); }
/// The smallest of those that move anything: one worker may sit at main memory.
Value relative_volume(const RecordContext& row) {
  const auto moved = [](const RecordContext& other) {
    return other[kVolume] > 0 ? other[kVolume] : std::numeric_limits<double>::infinity();
  };
  const double least = row.minimum(moved);
  return std::isinf(least) ? 1 : ratio(row[kVolume], least);  // nobody moves anything
}

const FigureList& tile_figures() {
  static const FigureList figures = merge_figures(
      common_figures(), {&kEnrolledWorkers, &kVolume, &kTransfers, &kBetweenGpus, &kThefts,
                         &kBusyShare, &kRelativeCost, &kRelativeVolume, &kAreaBound, &kAnyRunBound,
                         &kVolumeBound, &kTimesAnyRun, &kTimesVolume, &kTasks, &kTaskTime});
  return figures;
}

}  // namespace starport::tiles
