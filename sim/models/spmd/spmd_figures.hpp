// The figures of distributed products, beyond those that all models share.
#pragma once

#include "sim/results/figure.hpp"

namespace starport::spmd {

/// flop/s in one Tflop/s.
inline constexpr double kTera = 1e12;

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

/// Returns all figures of distributed products in the order of the columns of results.
const FigureList& spmd_figures();

}  // namespace starport::spmd
