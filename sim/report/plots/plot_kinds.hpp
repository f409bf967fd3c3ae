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

/// A request for a figure: input files, options, size and title.
struct PlotRequest {
  std::vector<std::string> files;      ///< paths, at least one
  const ResultTable* table = nullptr;  ///< the rows of `files`, if they have been read already
  /// Values of the options of `starport plot` by name, without dashes; only options of the kind.
  std::map<std::string, std::string> options = {};
  std::string title = {};
  double width_cm = 0;   ///< 0: chosen by the kind of figure
  double height_cm = 0;  ///< 0: chosen by the kind of figure
  /// Names of heuristics in the order of `starport list`: the position of a name gives its colour.
  std::vector<std::string> heuristics = {};
  FigureList figures = {};  ///< descriptions of the columns, for captions
  /// Names and dates (in seconds) that a Gantt chart marks instead of the makespan of its trace.
  std::vector<std::pair<std::string, double>> marked_dates_s = {};

  /// Returns the value of an option, or nullopt if it was not given.
  std::optional<std::string> find(const std::string& option) const;
};

/// The input of a kind of figure: the results of runs and sweeps, or a trace.
enum class PlotInput { results, trace };

/// A kind of figure: its name, its options and its drawing function.
struct PlotKind {
  std::string name;
  std::string summary;  ///< one line for the help
  PlotInput reads;
  std::vector<std::string> options;  ///< names of the options it accepts, without dashes
  /// Makes the figure's data and settings. Throws InputError if the files or the options do not
  /// suit the kind.
  std::function<Drawing(const PlotRequest&)> draw;
};

/// Returns the kinds of figure that show the results of runs and sweeps.
std::vector<PlotKind> result_plots();
/// Returns the kind "lines": a value against --x, one line per heuristic.
PlotKind line_plot();
/// Returns the kind "gantt": the lanes of a trace over time.
PlotKind gantt_plot();
/// Returns the kind "memory": the occupancy of each worker's memory over time.
PlotKind memory_plot();

/// Returns all kinds, in the order of the help.
const std::vector<PlotKind>& plot_kinds();
/// Returns the kind of this name. Throws InputError that lists the kinds.
const PlotKind& plot_kind(const std::string& name);

/// A line plot with more distinct x values than this puts them together in bins.
inline constexpr std::int64_t kMaxLinePoints = 200;
/// The number of bins unless --bins asks for another.
inline constexpr std::int64_t kDefaultBins = 12;

}  // namespace starport
