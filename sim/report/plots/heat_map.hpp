// A heat map of ratios between pairs.
#pragma once

#include "sim/report/plots/drawing.hpp"

#include <string>
#include <vector>

namespace starport {

/// A cell of a heat map, i.e. a table of ratios shown as colours.
struct HeatMapCell {
  /// Name of the cell's row; rows are shown in the order in which their names first occur in the
  /// list of cells.
  std::string row;
  /// Name of the cell's column; names that are also names of rows are shown first, in the order of
  /// the rows, then the others in the order in which they first occur in the list of cells.
  std::string column;
  /// Ratio that the colour of the cell shows, finite and above 0: white at 1, red above, blue
  /// below.
  double ratio = 1;
};

/// Makes a heat map (a table of ratios shown as colours); pairs of row and column without a cell
/// stay empty. `title` stands above it, `label` below it. Draws nothing yet: render() does. Throws
/// std::logic_error if there are no cells.
Drawing draw_heat_map(const std::vector<HeatMapCell>& cells, const std::string& title,
                      const std::string& label);

}  // namespace starport
