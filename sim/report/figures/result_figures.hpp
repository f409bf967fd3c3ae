// The figures over the results of runs and sweeps.
#pragma once

#include "sim/report/figures/figure.hpp"

namespace starport {

Drawing draw_cost(const FigureKind& kind, const FigureRequest& request);
Drawing draw_work(const FigureKind& kind, const FigureRequest& request);
Drawing draw_bound(const FigureKind& kind, const FigureRequest& request);
Drawing draw_enrolled(const FigureKind& kind, const FigureRequest& request);
Drawing draw_sorted(const FigureKind& kind, const FigureRequest& request);
Drawing draw_lines(const FigureKind& kind, const FigureRequest& request);
Drawing draw_distribution(const FigureKind& kind, const FigureRequest& request);

}  // namespace starport
