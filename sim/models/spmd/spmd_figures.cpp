#include "sim/models/spmd/spmd_figures.hpp"

#include "sim/results/common_figures.hpp"
#include "sim/results/comparison.hpp"

namespace starport::spmd {

Value of_balanced_speed(const RecordContext& row) {
  const double share = row[kSpeed] / row[kBalancedSpeed];
  return share == share ? Value(share) : Value();
}

const FigureList& spmd_figures() {
  static const FigureList figures = merge_figures(
      common_figures(),
      {&kEnrolledWorkers, &kSpeed, &kImbalance, &kPasses, &kMeasuring, &kHalfPerimeterRatio,
       &kCommunication, &kHubTransfers, &kCommunicationShare, &kWaitingShare, &kElementsMoved,
       &kElementsOfC, &kEndToEndMakespan, &kRelativeCost, &kBalancedSpeed, &kOfBalancedSpeed});
  return figures;
}

}  // namespace starport::spmd
