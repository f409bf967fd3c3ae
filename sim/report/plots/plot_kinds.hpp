// The kinds of figure that `starport plot` draws. A new kind needs a part of plots/figure.py, a
// function in this folder that makes its data, and an entry in plot_kinds() or result_plots().
#pragma once

#include "sim/report/database/result_table.hpp"
#include "sim/report/plots/drawing.hpp"
#include "sim/results/figure.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// A request for a plot: input files, options, size and title. The caller fills it in and passes it
/// to PlotKind::draw, which keeps no reference to it.
struct PlotRequest {
  /// Paths of the input files: exactly one trace, or at least one file of results (none: undefined
  /// behaviour), as PlotKind::reads says. Results are not read from them if `table` is set.
  std::vector<std::string> files;
  /// Results that PlotKind::draw copies instead of reading `files`; nullptr: it reads them. Not
  /// owned; must live until PlotKind::draw returns. Kinds of plot that read a trace ignore it.
  const ResultTable* table = nullptr;
  /// Values of the options of `starport plot` by name, without dashes, such as {"from", "0.5"}.
  /// Only options that the kind of plot accepts (PlotKind::options) may be given, which
  /// PlotKind::draw does not check.
  std::map<std::string, std::string> options = {};
  /// Title above the plot; empty: a plot of one trace shows its name and makespan
  /// (makespan_text()), others have no title.
  std::string title = {};
  /// Width of the whole plot in cm; 0: plots/figure.py chooses it.
  double width_cm = 0;
  /// Height of the whole plot in cm; 0: plots/figure.py chooses it.
  double height_cm = 0;
  /// Names of heuristics, each with the number (from 1) of its colour in plots of results; numbers
  /// equal modulo 16 mean the same colour. Names not listed, and those whose colour another one in
  /// the plot has, get free colours if any are left.
  std::vector<std::pair<std::string, std::int64_t>> heuristics = {};
  /// Declarations of the columns of results, none null: they give the captions of axes and, in the
  /// kind of plot "lines", the lower bound on the makespan, which is not drawn without them.
  FigureList figures = {};
  /// Names and dates (simulated seconds) that a Gantt chart marks on its axis; empty: the lower
  /// bound on the makespan, if there is one, and the makespan, if the chart shows a single run.
  /// Other kinds of plot ignore them.
  std::vector<std::pair<std::string, double>> marked_dates_s = {};

  /// Returns a drawing for render(): of a `kind` such as "lines" (see Drawing::kind), from CSV
  /// `data`, with the request's title and size (the keys title, width_cm and height_cm, left out
  /// where empty or 0) and with `settings`, which replace these where both have a key.
  Drawing make_drawing(std::string kind, std::string data,
                       const nlohmann::ordered_json& settings) const;
  /// Returns the value of an option of `starport plot` (its name without dashes), or nullopt if it
  /// was not given.
  std::optional<std::string> find(const std::string& option) const;
};

/// Content of the input files of a kind of plot: `results` of runs and sweeps (CSV, a row per run),
/// or a `trace` (CSV, a row per activity of a run).
enum class PlotInput { results, trace };

/// A kind of plot that `starport plot` offers: its name, its options and its drawing function.
/// plot_kinds() holds one static object of each.
struct PlotKind {
  /// Name of the kind of plot, the value of the option --figure, such as "gantt".
  std::string name;
  /// Description of the kind of plot in one line, for the help.
  std::string summary;
  /// Content that the input files of this kind of plot must have.
  PlotInput reads;
  /// Names, without dashes, of the options of `starport plot` that this kind of plot accepts
  /// besides those of all kinds: --figure, --output, --title and --size.
  std::vector<std::string> options;
  /// Function that reads the input and makes the data and settings of the plot; render() then draws
  /// it. Throws InputError if a file cannot be read, or if the files or the options do not suit
  /// this kind of plot. With the option --where it forks a process (see ResultTable::filter()):
  /// call it from a process with one thread. Throws SimulationError if that process fails.
  std::function<Drawing(const PlotRequest&)> draw;
};

/// Returns new objects that describe the kinds of plot that show the results of runs and sweeps,
/// the kind "lines" among them; plot_kinds() includes them.
std::vector<PlotKind> result_plots();
/// Returns the kind of plot "lines": the column of results that --value names (by default the
/// makespan) against the one that --x names, one line per heuristic or, with --series, per value of
/// the column that it names.
PlotKind line_plot();
/// Returns the kind of plot "gantt": the activities of the port and of each worker over time, from
/// a trace, with a panel for each run.
PlotKind gantt_plot();
/// Returns the kind of plot "memory": the number of matrix blocks in each worker's memory over
/// time, from a trace.
PlotKind memory_plot();

/// Returns all kinds of plot that `starport plot` offers, in the order of the help. The list is a
/// static object, valid until the program ends.
const std::vector<PlotKind>& plot_kinds();
/// Returns the kind of plot of this name, such as "gantt", as a reference to a static object.
/// Throws InputError, naming --figure and listing the kinds, if there is none.
const PlotKind& plot_kind(const std::string& name);

/// Largest number of distinct x values that a line plot shows one by one; it puts more of them
/// together in bins.
inline constexpr std::int64_t kMaxLinePoints = 200;
/// Number of bins (intervals of x whose values are put together, with about equally many rows each)
/// of a line plot with more than kMaxLinePoints x values, unless --bins asks for another.
inline constexpr std::int64_t kDefaultBins = 12;

}  // namespace starport
