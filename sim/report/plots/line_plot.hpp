// A value against an axis, a line for each heuristic.
#pragma once

#include "sim/report/plots/plot_kinds.hpp"

namespace starport {

Drawing draw_lines(const PlotRequest& request);

}  // namespace starport
