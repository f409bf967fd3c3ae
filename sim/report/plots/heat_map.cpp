#include "sim/report/plots/heat_map.hpp"

#include "plots/scripts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace starport {
namespace {

/// The names of the rows or of the columns, each once.
class AxisNames {
 public:
  /// Returns the position of `name` from 1, behind all others if it is new.
  std::size_t position(const std::string& name) {
    const auto found = std::ranges::find(names_, name);
    const auto position = static_cast<std::size_t>(found - names_.begin()) + 1;
    if (found == names_.end()) names_.push_back(name);
    return position;
  }
  const std::vector<std::string>& names() const { return names_; }
  double size() const { return static_cast<double>(names_.size()); }
  /// Returns the room in cm that the longest name needs.
  double longest_cm() const {
    std::size_t longest = 0;
    for (const std::string& name : names_) longest = std::max(longest, name.size());
    return 0.17 * static_cast<double>(longest) + 0.2;
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace

Drawing draw_heat_map(const std::vector<HeatMapCell>& cells, std::string title,
                      const std::string& label) {
  if (cells.empty()) throw std::logic_error("a heat map needs a cell");
  AxisNames rows;
  AxisNames columns;
  for (const HeatMapCell& cell : cells) rows.position(cell.row);
  // Columns that are rows too have the order of the rows.
  for (const std::string& row : rows.names()) {
    if (std::ranges::find(cells, row, &HeatMapCell::column) != cells.end()) columns.position(row);
  }
  std::string data = "row,column,row_name,column_name,ratio\n";
  for (const HeatMapCell& cell : cells) {
    data +=
        fmt::format("{},{},{},{},{:.9g}\n", rows.position(cell.row), columns.position(cell.column),
                    gnuplot_field(cell.row), gnuplot_field(cell.column), cell.ratio);
  }
  constexpr double cell_width_cm = 1.3;
  constexpr double cell_height_cm = 0.7;
  const double left_cm = rows.longest_cm() + 0.2;
  const double above_cm = 0.9 + 0.65 * columns.longest_cm();
  return {.script = embedded::plots_heat_map_gp,
          .data = std::move(data),
          .title = std::move(title),
          .width_cm = left_cm + cell_width_cm * columns.size() + 0.9,
          .height_cm = above_cm + cell_height_cm * rows.size() + 0.7,
          .settings = {{"left_cm", fmt::format("{:.2f}", left_cm)},
                       {"above_cm", fmt::format("{:.2f}", above_cm)},
                       {"xlabel", gnuplot_text(label)}}};
}

}  // namespace starport
