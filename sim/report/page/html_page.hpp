// The report of a sweep as one self-contained HTML file.
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

/// A figure of the report.
struct ReportPlot {
  std::string group;    ///< heading of the section that shows it
  std::string caption;  ///< plain text
  std::string svg;      ///< an SVG document
};

/// A run in the compact form that the page's Gantt chart reads (sim/report/page/run_encoding.hpp).
struct PackedRun {
  std::string chart;   ///< JSON of describe_chart()
  std::string slices;  ///< encode_run(), compressed by compress_to_base64()
};

/// The contents of a report page beside the results. Texts are plain; to_html() escapes them.
struct ReportPage {
  std::string title;
  Models models;                           ///< of the algorithms in the results
  std::string command;                     ///< the command that makes the page
  nlohmann::ordered_json provenance;       ///< an object
  std::map<std::int64_t, Case> instances;  ///< by their number in the results
  std::map<std::int64_t, PackedRun> runs;  ///< by row of the results, from 0
  std::vector<ReportPlot> plots;           ///< plots of a group follow each other
};

/// Fills in the page's template (plots/report/report.html). `results` must have report_columns(),
/// `timings` the columns of a sweep's timings.csv.
std::string to_html(const ReportPage& page, const ResultTable& results, const ResultTable& timings);

/// Draws the plots of a report: over all instances if there are several experiments, then for each
/// experiment. Plots for which the results have no data are left out. `heuristics` are the names in
/// the order of `starport list`, which gives their colours. `progress` is called before each plot
/// with its number, from 1, and the number of plots. Throws std::runtime_error if gnuplot is
/// missing or fails.
std::vector<ReportPlot> report_plots(const ResultTable& results,
                                     const std::vector<std::string>& heuristics,
                                     const FigureList& columns,
                                     const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace starport
