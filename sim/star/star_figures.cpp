#include "sim/star/star_figures.hpp"

#include "sim/study/common_figures.hpp"
#include "sim/study/comparison.hpp"

namespace starport {
namespace {

/// None where one of the two is.
Value some(double number) { return number == number ? Value(number) : Value(); }

}  // namespace

Value bound_ratio(const Related& row) {
  return some(row[kSteadyStateRate] * row[kMakespan] /
              static_cast<double>(row.comparison.instance.problem.updates()));
}
Value times_bound(const Related& row) { return some(row[kMakespan] / row[kAnyScheduleBound]); }

const FigureList& star_figures() {
  static const FigureList figures = merged(
      common_figures(), {&kEnrolledWorkers, &kBlocksMoved, &kBlockUpdates, &kCcr, &kPortUtilisation,
                         &kSendUtilisation, &kReceiveUtilisation, &kRelativeCost, &kRelativeWork,
                         &kBoundRatio, &kSteadyStateRate, &kSteadyStateBound, &kCStationaryBound,
                         &kTimesBound, &kAnyScheduleBound, &kSide, &kLinkBusy, &kComputeBusy});
  return figures;
}

}  // namespace starport
