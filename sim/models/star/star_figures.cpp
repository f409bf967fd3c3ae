#include "sim/models/star/star_figures.hpp"

#include "sim/results/common_figures.hpp"
#include "sim/results/comparison.hpp"

namespace starport {
namespace {

/// Returns the number as a value; no value for NaN, which a missing figure yields.
Value to_value(double number) { return number == number ? Value(number) : Value(); }

}  // namespace

Value bound_ratio(const RecordContext& row) {
  return to_value(row[kSteadyStateRate] * row[kMakespan] /
                  static_cast<double>(row.comparison.instance.problem.updates()));
}
// The run sets the flag when the schedule is C-stationary; it stays set if that bound is the
// larger.
Value c_stationary(const RecordContext& row) {
  const double bound_s = row[kAnyScheduleBound];
  if (bound_s != bound_s) return {};
  return std::int64_t{row[kCStationary] == 1 && row[kCStationaryBound] > bound_s};
}
Value times_tightest(const RecordContext& row) {
  const bool stationary = real(c_stationary(row)) == 1;
  return to_value(row[kMakespan] / row[stationary ? kCStationaryBound : kAnyScheduleBound]);
}
Value times_bound(const RecordContext& row) {
  return to_value(row[kMakespan] / row[kAnyScheduleBound]);
}

const FigureList& star_figures() {
  static const FigureList figures =
      merge_figures(common_figures(), {&kEnrolledWorkers,    &kBlocksMoved,
                                       &kBlockUpdates,       &kCcr,
                                       &kPortUtilisation,    &kSendUtilisation,
                                       &kReceiveUtilisation, &kRelativeCost,
                                       &kRelativeWork,       &kBoundRatio,
                                       &kSteadyStateRate,    &kSteadyStateBound,
                                       &kCStationaryBound,   &kCStationary,
                                       &kTimesTightest,      &kTimesBound,
                                       &kAnyScheduleBound,   &kSide,
                                       &kLinkBusy,           &kComputeBusy});
  return figures;
}

}  // namespace starport
