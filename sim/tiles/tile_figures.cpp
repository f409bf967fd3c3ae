#include "sim/tiles/tile_figures.hpp"

#include "sim/study/common_figures.hpp"
#include "sim/study/comparison.hpp"

namespace starport::tiles {
namespace {

/// None without a bound, or where nothing is moved.
Value ratio(double of, double to) { return of / to < 1e300 ? Value(of / to) : Value(); }

}  // namespace

Value times_any_run(const Related& row) { return ratio(row[kMakespan], row[kAnyRunBound]); }
Value times_volume(const Related& row) { return ratio(row[kVolume], row[kVolumeBound]); }
Value relative_volume(const Related& row) { return ratio(row[kVolume], row.least(kVolume)); }

const FigureList& tile_figures() {
  static const FigureList figures = merged(
      common_figures(), {&kEnrolledWorkers, &kVolume, &kTransfers, &kBetweenGpus, &kThefts,
                         &kBusyShare, &kRelativeCost, &kRelativeVolume, &kAreaBound, &kAnyRunBound,
                         &kVolumeBound, &kTimesAnyRun, &kTimesVolume, &kTasks, &kTaskTime});
  return figures;
}

}  // namespace starport::tiles
