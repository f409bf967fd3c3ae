// The report of a sweep as one self-contained HTML file.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/report/database/result_table.hpp"
#include "sim/report/plots/drawing.hpp"
#include "sim/results/model.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace starport {

/// A plot of the HTML report of a sweep, made by report_plots(): the experiment it belongs to, its
/// caption, and its data and settings, which the page's script draws in the browser. Owns its
/// texts.
struct ReportPlot {
  /// Name of the experiment, as in the results, whose section of the report shows the plot. A plot
  /// of an experiment that is not in the results is left out of the page silently.
  std::string experiment;
  /// Text shown below the plot, plain: to_html() escapes it.
  std::string caption;
  /// Kind, data and settings, which plots/report/figures.js draws; the remark is not shown.
  Drawing drawing;
};

/// A run as the HTML report stores it for its Gantt chart: a description of lanes and labels as
/// JSON, and the dated slices, compressed. Made by pack_run() from a timeline, such as that of a
/// trace, and by report_runs() (see run_encoding.hpp); owns its texts.
struct PackedRun {
  /// JSON text of describe_chart(): the lanes (rows of the Gantt chart), kinds of activity and
  /// labels of the run.
  std::string chart;
  /// The slices (activities with their dates) of the run: the bytes of encode_run(), packed by
  /// compress_to_base64().
  std::string slices;
};

/// The content of the HTML report of a sweep apart from the tables of results: title, provenance,
/// platforms, runs, plots and questions. Filled in by the caller of to_html(). Texts are plain;
/// to_html() escapes them.
struct ReportPage {
  /// Title of the report: the name of the sweep, or of the file of a reported trace.
  std::string title;
  /// Models of the algorithms in the results, none null; not owned, must exist as long as this
  /// object is used.
  Models models;
  /// Shell command that makes the report. For a complete run that is not in `runs`, the page shows
  /// it followed by " --runs " and the number of the instance.
  std::string command;
  /// JSON object that says how the report and the results were made (versions, host, date). The
  /// page lists each key, whatever its name, and its value as text. Must be set by the caller of
  /// to_html(): with null, the default, the script of the page fails (not checked).
  nlohmann::ordered_json provenance;
  /// Platform and product of each instance of the sweep, by the instance's number in the results,
  /// from 1. The report shows no workers for a platform that is no star
  /// (PlatformFile::star_or_empty()), and no platform for an instance that is missing here.
  std::map<std::int64_t, Case> instances;
  /// Runs that the Gantt chart can show, by the index of their row in the results, from 0; may be
  /// empty.
  std::map<std::int64_t, PackedRun> runs;
  /// Plots of all experiments, those of each in the order of the report.
  std::vector<ReportPlot> plots;
  /// Questions that experiments answer, by the name of the experiment; default_question() makes
  /// those that are missing.
  std::map<std::string, std::string> questions;
};

/// Returns the report of a sweep as one self-contained HTML document, made from the template
/// plots/report/report.html. `results` must have the columns report_columns() and `timings` those
/// of a sweep's timings.csv: instance, heuristic, decision_s and simulation_s in wall-clock seconds
/// (SQLite::Exception otherwise). Rows of results without a row of timings get empty times. Throws
/// nlohmann::json::parse_error if the chart of a run is no JSON. Runs without a relative cost are
/// listed, but do not count in means.
std::string to_html(const ReportPage& page, const ResultTable& results, const ResultTable& timings);

/// Returns the page of `starport explore` as one self-contained HTML document, made from the
/// template plots/explore/explore.html. `data` is what its script reads: state, answer and groups
/// (sim/explore/answer.hpp; not checked).
std::string explorer_html(const nlohmann::ordered_json& data);

/// Returns a question that the results of an experiment answer, made from what the experiment
/// varies: "How does the makespan depend on block size?", or, if no numeric column varies enough
/// for describe_axes() or the experiment is unknown, which heuristic is fastest. `results` must
/// have the columns report_columns() (SQLite::Exception otherwise).
std::string default_question(const ResultTable& results, const std::string& experiment);
/// Returns a text with one sentence, and a space before it, for each numeric column against which
/// the runs of an experiment can be compared: which heuristic is best at which values (see
/// describe_best_along()). These are the columns with at least three values that the sweep varies,
/// else sizes of the instances, else measures of random platforms. "" if there is none or nothing
/// can be said. `results` must have the columns report_columns() (SQLite::Exception otherwise).
std::string describe_axes(const ResultTable& results, const std::string& experiment);

/// Chooses the plots of a report, each of one experiment: lines against what that experiment
/// varies, and comparisons of the heuristics over its instances. Experiments are in the order of
/// their first rows. Draws nothing yet. Leaves out, without a message, each plot for which the
/// results lack data (InputError). Throws InputError that names the file of the results if SQLite
/// has no room for temporary files. `results` must come from a file and have the columns
/// report_columns() (SQLite::Exception otherwise). `heuristics` are names of heuristics with the
/// numbers of their colours, from 1; others get free colours. `columns`, none null, are the
/// declarations of the columns of results, for captions. Forks processes: call it from a process
/// with one thread. Throws SimulationError if one crashes, is killed or cannot be created.
std::vector<ReportPlot> report_plots(
    const ResultTable& results, const std::vector<std::pair<std::string, std::int64_t>>& heuristics,
    const FigureList& columns);

}  // namespace starport
