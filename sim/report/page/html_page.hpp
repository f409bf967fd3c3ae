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

/// A drawn plot of the HTML report of a sweep; made by report_plots(). Owns its texts.
struct ReportPlot {
  /// Heading of the section of the report that shows the plot, plain text; consecutive plots with
  /// the same heading share a section.
  std::string group;
  /// Caption below the plot, plain text.
  std::string caption;
  /// The plot as the text of an SVG document; to_html() throws std::runtime_error if it has no svg
  /// element.
  std::string svg;
};

/// A simulated run in the compact form that the Gantt chart of the HTML report reads, made by
/// report_runs() (see run_encoding.hpp). Owns its texts.
struct PackedRun {
  /// JSON text of describe_chart(): the lanes (rows of the Gantt chart), kinds of activity and
  /// labels of the run.
  std::string chart;
  /// The slices (activities with their dates) of the run: the bytes of encode_run(), packed by
  /// compress_to_base64().
  std::string slices;
};

/// The contents of the HTML report of a sweep apart from the tables of results. Filled in by the
/// caller of to_html(). Texts are plain; to_html() escapes them.
struct ReportPage {
  /// Title of the report, which is the name of the sweep.
  std::string title;
  /// Models of the algorithms in the results, none null; not owned, must exist as long as this
  /// object is used.
  Models models;
  /// Command line that makes the report, shown to its reader.
  std::string command;
  /// JSON object that says how the report and the results were made (versions, host, date).
  nlohmann::ordered_json provenance;
  /// Platform and product of each instance of the sweep, by the instance's number in the results,
  /// from 1. The report shows no workers for a platform that is no star
  /// (PlatformFile::star_or_empty()).
  std::map<std::int64_t, Case> instances;
  /// Runs that the Gantt chart can show, by the index of their row in the results, from 0; may be
  /// empty.
  std::map<std::int64_t, PackedRun> runs;
  /// Plots in the order of the report; those with the same heading follow each other.
  std::vector<ReportPlot> plots;
};

/// Returns the report of a sweep as one self-contained HTML document, made from the template
/// plots/report/report.html. `results` must have the columns report_columns() and `timings` those
/// of a sweep's timings.csv: instance, heuristic, decision_s and simulation_s in wall-clock seconds
/// (SQLite::Exception otherwise). Rows of results without a row of timings get empty times. Throws
/// std::runtime_error if a plot is no SVG, nlohmann::json::parse_error if the chart of a run is no
/// JSON, and what summarise() and summary_text() throw for complete runs without a relative cost.
std::string to_html(const ReportPage& page, const ResultTable& results, const ResultTable& timings);

/// Returns the page of `starport explore` as one self-contained HTML document, made from the
/// template plots/explore/explore.html. `data` is what its script reads: state, answer and groups
/// (sim/explore/answer.hpp).
std::string explorer_html(const nlohmann::ordered_json& data);

/// Draws the plots of a report with gnuplot as SVG, which may take seconds each: over all instances
/// if there are several experiments, then for each experiment. Plots for which the results have no
/// data are left out. `results` must have the columns report_columns() (SQLite::Exception
/// otherwise). `heuristics` are the names of all heuristics in the order of `starport list`, which
/// gives their colours; `columns`, none null, are the declarations of the columns of results, for
/// captions. `progress` is called before each plot with its number, from 1, and the number of plots
/// planned, and must not be empty. Blocks until all are drawn; call it from a process with one
/// thread, since gnuplot runs in forked processes. Throws std::runtime_error if gnuplot is missing
/// or fails.
std::vector<ReportPlot> report_plots(const ResultTable& results,
                                     const std::vector<std::string>& heuristics,
                                     const FigureList& columns,
                                     const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace starport
