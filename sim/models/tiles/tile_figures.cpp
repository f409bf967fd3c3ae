#include "sim/models/tiles/tile_figures.hpp"

#include "sim/results/common_figures.hpp"
#include "sim/results/comparison.hpp"

#include <cmath>
#include <limits>

namespace starport::tiles {
namespace {

/// Returns the quotient; no value when it is NaN or infinite.
Value ratio(double dividend, double divisor) {
  return dividend / divisor < 1e300 ? Value(dividend / divisor) : Value();
}

}  // namespace

Value times_any_run(const RecordContext& row) { return ratio(row[kMakespan], row[kAnyRunBound]); }
Value times_volume(const RecordContext& row) { return ratio(row[kVolume], row[kVolumeBound]); }
// Relative to the smallest volume above 0: a single worker in main memory moves nothing.
Value relative_volume(const RecordContext& row) {
  const auto moved = [](const RecordContext& other) {
    return other[kVolume] > 0 ? other[kVolume] : std::numeric_limits<double>::infinity();
  };
  const double minimum = row.minimum(moved);
  return std::isinf(minimum) ? 1 : ratio(row[kVolume], minimum);
}

const FigureList& tile_figures() {
  static const FigureList figures = merge_figures(
      common_figures(), {&kEnrolledWorkers, &kVolume, &kTransfers, &kBetweenGpus, &kThefts,
                         &kBusyShare, &kRelativeCost, &kRelativeVolume, &kAreaBound, &kAnyRunBound,
                         &kVolumeBound, &kTimesAnyRun, &kTimesVolume, &kTasks, &kTaskTime});
  return figures;
}

}  // namespace starport::tiles
