// The figures of a sweep's report.
#pragma once

#include "sim/report/database/result_table.hpp"
#include "sim/report/page/html_page.hpp"

#include <functional>
#include <string>
#include <vector>

namespace starport {

/// Those that its results give something to draw for: over all instances when there are several
/// experiments, then for each experiment. `heuristics` are the names in the order of `starport
/// list`. `progress` is called with the number of each figure before it is drawn, and how many
/// there are. Throws std::runtime_error when gnuplot is missing or fails.
std::vector<ReportFigure> report_figures(
    const ResultTable& results, const std::vector<std::string>& heuristics,
    const FigureList& columns, const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace starport
