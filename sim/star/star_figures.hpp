// What is reported of schedules on the star, beside the figures that every model has.
#pragma once

#include "sim/study/figure.hpp"

namespace starport {

extern const Figure kBlocksMoved;
extern const Figure kBlockUpdates;
extern const Figure kCcr;
extern const Figure kPortUtilisation;
extern const Figure kSendUtilisation;
extern const Figure kReceiveUtilisation;
extern const Figure kBoundRatio;
extern const Figure kSteadyStateRate;
extern const Figure kSteadyStateBound;
extern const Figure kCStationaryBound;
extern const Figure kTimesBound;
extern const Figure kAnyScheduleBound;
extern const Figure kSide;
extern const Figure kLinkBusy;
extern const Figure kComputeBusy;

/// In the order of the columns of results.
const FigureList& star_figures();

}  // namespace starport
