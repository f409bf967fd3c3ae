#include "sim/report/plots/heat_map.hpp"

#include "sim/files/text.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace starport {

Drawing draw_heat_map(const std::vector<HeatMapCell>& cells, const std::string& title,
                      const std::string& label) {
  if (cells.empty()) throw std::logic_error("a heat map needs a cell");
  std::string data = "row,column,ratio\n";
  for (const HeatMapCell& cell : cells) {
    data += fmt::format("{},{},{:.9g}\n", quote_csv_field(cell.row), quote_csv_field(cell.column),
                        cell.ratio);
  }
  return {.kind = "heat_map",
          .data = std::move(data),
          .settings = {{"title", title}, {"xlabel", label}}};
}

}  // namespace starport
