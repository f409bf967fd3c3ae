// The kinds of figure that `starport plot` draws. A new one gets a script in plots/ and an entry in
// figure.cpp.
#pragma once

#include "sim/report/figures/gnuplot.hpp"
#include "sim/study/figure.hpp"

#include <map>
#include <string>
#include <vector>

namespace starport {

/// What a figure is asked of.
struct FigureRequest {
  std::vector<std::string> files;  ///< one or more
  /// Options by name, without dashes; only those that the kind takes.
  std::map<std::string, std::string> options;
  std::string title;
  double width_cm = 0;   ///< 0: as the kind and the data would have it
  double height_cm = 0;  ///< the same
  /// Names in the order of `starport list`: a heuristic's place gives its colour.
  std::vector<std::string> heuristics;
  FigureList figures;  ///< what columns of results mean
};

enum class FigureInput { results, trace };

struct FigureKind {
  std::string name;
  std::string summary;  ///< one line
  FigureInput reads;
  std::vector<std::string> options;  ///< those it takes, without dashes
  /// Throws InputError when the files or the options are not fit for it.
  Drawing (*draw)(const FigureKind& kind, const FigureRequest& request);
};

const std::vector<FigureKind>& figure_registry();
/// Throws InputError listing the kinds.
const FigureKind& figure_kind(const std::string& name);

}  // namespace starport
