// The kinds of figure that are drawn from a trace.
#pragma once

#include "sim/report/figures/figure.hpp"

namespace starport {

Drawing draw_gantt(const FigureKind& kind, const FigureRequest& request);
Drawing draw_memory(const FigureKind& kind, const FigureRequest& request);

}  // namespace starport
