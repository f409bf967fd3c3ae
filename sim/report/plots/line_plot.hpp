// A value against an axis, a line for each heuristic.
#pragma once

#include "sim/report/plots/plot_kinds.hpp"

namespace starport {

/// Lines through more points than that would be a smear: their abscissae are put together.
inline constexpr std::int64_t kMostLinePoints = 200;
/// In so many groups, unless asked for others.
inline constexpr std::int64_t kLineGroups = 12;

Drawing draw_lines(const PlotRequest& request);

}  // namespace starport
