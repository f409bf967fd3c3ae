// A heat map of ratios between pairs.
#pragma once

#include "sim/report/plots/gnuplot.hpp"

#include <string>
#include <vector>

namespace starport {

/// A cell of a heat map of ratios.
struct HeatMapCell {
  /// Name of the row; rows are shown in the order in which their names first occur.
  std::string row;
  /// Name of the column; columns that are also rows are shown first, in the order of the rows, then
  /// the others in the order in which their names first occur.
  std::string column;
  /// Ratio, finite and above 0; 1 is white.
  double ratio = 1;
};

/// Makes a heat map of cells; pairs without a cell stay empty. `label` stands below it. Throws
/// std::logic_error if there are no cells.
Drawing draw_heat_map(const std::vector<HeatMapCell>& cells, std::string title,
                      const std::string& label);

}  // namespace starport
