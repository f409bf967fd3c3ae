// The kinds of plot that `starport plot` draws. A new one gets a script in plots/, a file
// here or an entry in result_plots.cpp, and a place in plot_kinds.cpp.
#pragma once

#include "sim/report/database/result_table.hpp"
#include "sim/report/plots/gnuplot.hpp"
#include "sim/results/figure.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// What a plot is asked of.
struct PlotRequest {
  std::vector<std::string> files;      ///< one or more
  const ResultTable* table = nullptr;  ///< their rows, where they have been read already
  /// Options by name, without dashes; only those that the kind takes.
  std::map<std::string, std::string> options = {};
  std::string title = {};
  double width_cm = 0;   ///< 0: as the kind and the data would have it
  double height_cm = 0;  ///< the same
  /// Names in the order of `starport list`: a heuristic's place gives its colour.
  std::vector<std::string> heuristics = {};
  FigureList figures = {};  ///< what columns of results mean
  /// Of the runs that a trace holds beside each other, with names: marked instead of one makespan.
  std::vector<std::pair<std::string, double>> makespans_s = {};

  std::optional<std::string> find(const std::string& option) const;
};

enum class PlotInput { results, trace };

struct PlotKind {
  std::string name;
  std::string summary;  ///< one line
  PlotInput reads;
  std::vector<std::string> options;  ///< those it takes, without dashes
  /// Throws InputError when the files or the options are not fit for it.
  std::function<Drawing(const PlotRequest&)> draw;
};

std::vector<PlotKind> result_plots();  ///< over the results of runs and sweeps
PlotKind gantt_plot();                 ///< of a trace
PlotKind memory_plot();                ///< of a trace

const std::vector<PlotKind>& plot_kinds();
/// Throws InputError listing the kinds.
const PlotKind& plot_kind(const std::string& name);

}  // namespace starport
