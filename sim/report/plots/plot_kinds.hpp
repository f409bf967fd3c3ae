// The kinds of figure that `starport plot` draws. A new kind needs a gnuplot script in plots/, a
// drawing function in this folder, and an entry in plot_kinds() or result_plots().
#pragma once

#include "sim/report/database/result_table.hpp"
#include "sim/report/plots/gnuplot.hpp"
#include "sim/results/figure.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// A request for a figure: input files, options, size and title. The caller fills it in and passes
/// it to PlotKind::draw, which keeps no reference to it.
struct PlotRequest {
  /// Paths of the input files, at least one.
  std::vector<std::string> files;
  /// The rows of `files` if they have been read already, else nullptr; not owned, must live until
  /// PlotKind::draw returns, which copies it.
  const ResultTable* table = nullptr;
  /// Values of the options of `starport plot` by name, without dashes, such as {"from", "0.5"}.
  /// Only options that the kind of figure accepts (PlotKind::options) may be given, which
  /// PlotKind::draw does not check.
  std::map<std::string, std::string> options = {};
  /// Title above the figure; empty: the kind of figure chooses it.
  std::string title = {};
  /// Width of the figure in cm; 0: chosen by the kind of figure. Width and height are given
  /// together or not at all.
  double width_cm = 0;
  /// Height of the figure in cm; 0: chosen by the kind of figure.
  double height_cm = 0;
  /// Names of heuristics in the order of `starport list`: the position of a name gives its colour;
  /// names not listed get further colours.
  std::vector<std::string> heuristics = {};
  /// Descriptions of the columns of results, for captions.
  FigureList figures = {};
  /// Names and dates (simulated seconds) that a Gantt chart marks instead of the makespan of its
  /// trace; empty: the makespan.
  std::vector<std::pair<std::string, double>> marked_dates_s = {};

  /// Returns the value of an option (its name without dashes), or nullopt if it was not given.
  std::optional<std::string> find(const std::string& option) const;
};

/// Input of a kind of figure: the results of runs and sweeps (CSV, a row per run), or a CSV trace
/// (a row per activity of a run).
enum class PlotInput { results, trace };

/// A kind of figure that `starport plot` offers: its name, its options and its drawing function.
/// plot_kinds() holds one static object of each.
struct PlotKind {
  /// Name of the kind, the value of --figure.
  std::string name;
  /// Description in one line, for the help.
  std::string summary;
  /// Content that the input files must have.
  PlotInput reads;
  /// Names of the options that it accepts, without dashes.
  std::vector<std::string> options;
  /// Reads the input and makes the figure's data and settings; render() then draws it. Throws
  /// InputError if a file cannot be read, or if the files, the options or the size do not suit the
  /// kind. The result refers only to a script in the program.
  std::function<Drawing(const PlotRequest&)> draw;
};

/// Returns new descriptions of the kinds of figure that show the results of runs and sweeps, the
/// kind "lines" among them; plot_kinds() includes them.
std::vector<PlotKind> result_plots();
/// Returns the kind "lines": a value against the column of --x, one line per heuristic.
PlotKind line_plot();
/// Returns the kind "gantt": the lanes of a trace over time.
PlotKind gantt_plot();
/// Returns the kind "memory": the number of blocks in each worker's memory over time, from a trace.
PlotKind memory_plot();

/// Returns all kinds of figure, in the order of the help. The list is static.
const std::vector<PlotKind>& plot_kinds();
/// Returns the kind of figure of this name; static. Throws InputError, naming --figure and listing
/// the kinds, if there is none.
const PlotKind& plot_kind(const std::string& name);

/// Largest number of distinct x values that a line plot shows one by one; it puts more of them
/// together in bins.
inline constexpr std::int64_t kMaxLinePoints = 200;
/// Number of bins of a line plot with many x values, unless --bins asks for another.
inline constexpr std::int64_t kDefaultBins = 12;

}  // namespace starport
