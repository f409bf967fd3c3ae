// The figures that every model has, and what tells the rows of results apart.
#pragma once

#include "sim/study/figure.hpp"

namespace starport {

extern const Figure kMakespan;
extern const Figure kRepetitionCount;
extern const Figure kMedianMakespan;
extern const Figure kLowMakespan;
extern const Figure kHighMakespan;
extern const Figure kLowAboveBest;
extern const Figure kHighAboveBest;
extern const Figure kWithinNoise;
extern const Figure kDecision;
extern const Figure kSimulation;
extern const Figure kEnrolledWorkers;
extern const Figure kRelativeCost;
extern const Figure kRelativeWork;

/// Those of one run and its wall-clock times, in order: a model puts them before its own.
FigureList common_figures();

/// The columns of results that are no figures, in their order: which instance, which algorithm,
/// how it ended; `details` come last.
const FigureList& labels();

/// A figure or a label by its key; nullptr when there is none.
const Figure* find_figure(const FigureList& figures, std::string_view key);

}  // namespace starport
