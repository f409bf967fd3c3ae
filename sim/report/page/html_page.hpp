// The report of a sweep as one HTML file that needs nothing else.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/report/database/result_table.hpp"
#include "sim/results/model.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace starport {

/// A figure of the report, as an SVG document.
struct ReportPlot {
  std::string group;    ///< the heading it stands under
  std::string caption;  ///< plain text
  std::string svg;
};

/// A run for the Gantt chart (sim/report/page/run_encoding.hpp).
struct PackedRun {
  std::string chart;   ///< JSON: what its slices name
  std::string slices;  ///< packed
};

/// All that the page shows beside the results. Texts are plain: the page escapes them.
struct ReportPage {
  std::string title;
  Models models;                           ///< of the algorithms
  std::string command;                     ///< what makes the page
  nlohmann::ordered_json provenance;       ///< an object
  std::map<std::int64_t, Case> instances;  ///< by their number in the results
  std::map<std::int64_t, PackedRun> runs;  ///< by row of the results from 0
  std::vector<ReportPlot> plots;           ///< those of a group follow each other
};

/// The page (plots/report/report.html). `results` has report_columns(), `timings` those of a
/// sweep's timings.csv.
std::string to_html(const ReportPage& page, const ResultTable& results, const ResultTable& timings);

/// The plots that its results give something to draw for: over all instances when there are several
/// experiments, then for each experiment. `heuristics` are the names in the order of `starport
/// list`. `progress` is called with the number of each figure before it is drawn, and how many
/// there are. Throws std::runtime_error when gnuplot is missing or fails.
std::vector<ReportPlot> report_plots(const ResultTable& results,
                                     const std::vector<std::string>& heuristics,
                                     const FigureList& columns,
                                     const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace starport
