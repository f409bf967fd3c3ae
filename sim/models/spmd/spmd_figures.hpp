// What is reported of distributed products, beside the figures that every model has.
#pragma once

#include "sim/results/figure.hpp"

namespace starport::spmd {

inline constexpr double kTera = 1e12;  ///< of Tflop/s

extern const Figure kSpeed;
extern const Figure kImbalance;
extern const Figure kPasses;
extern const Figure kMeasuring;
extern const Figure kHalfPerimeterRatio;
extern const Figure kCommunication;
extern const Figure kHubTransfers;
extern const Figure kCommunicationShare;
extern const Figure kWaitingShare;
extern const Figure kElementsMoved;
extern const Figure kElementsOfC;
extern const Figure kEndToEndMakespan;
extern const Figure kBalancedSpeed;
extern const Figure kOfBalancedSpeed;

/// In the order of the columns of results.
const FigureList& spmd_figures();

}  // namespace starport::spmd
