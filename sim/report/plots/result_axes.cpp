#include "sim/report/plots/result_axes.hpp"

#include "sim/files/error.hpp"
#include "sim/report/plots/figure_text.hpp"

#include <fmt/format.h>

namespace starport {

void set_log(Drawing& drawing, const ResultTable& results, const PlotRequest& request,
             const std::string& x, const std::string& y) {
  const std::string axes = request.find("log").value_or("");
  if (axes.empty()) return;
  if (axes != "y" && (x.empty() || (axes != "x" && axes != "xy"))) {
    throw InputError("--log", x.empty() ? "y" : "x, y or xy", "'" + axes + "'");
  }
  for (const std::string& column : {axes == "y" ? "" : x, axes == "x" ? "" : y}) {
    if (column.empty()) continue;
    const auto others = results.query(fmt::format(
        "SELECT cast({0} AS text) FROM results WHERE status = 'ok' AND {0} <= 0 LIMIT 1",
        sql_name(column)));
    if (others.empty()) continue;
    throw InputError("--log", fmt::format("positive values of {}", column),
                     std::get<std::string>(others[0][0]));
  }
  drawing.settings.emplace_back("logarithmic", gnuplot_text(axes));
}

std::string result_column(const std::string& name) { return "results." + sql_name(name); }

std::string caption_of(const PlotRequest& request, const std::string& column, char axis) {
  const bool logarithmic = request.find("log").value_or("").find(axis) != std::string::npos;
  return axis_caption(request.figures, column) + (logarithmic ? " (log scale)" : "");
}

void set_size(Drawing& drawing, const PlotRequest& request, double width_cm, double height_cm,
              const std::string& xlabel, const std::string& ylabel) {
  drawing.title = request.title;
  drawing.width_cm = request.width_cm > 0 ? request.width_cm : width_cm;
  drawing.height_cm = request.height_cm > 0 ? request.height_cm : height_cm;
  constexpr double beside_cm = 1.5;
  const auto fitted = [&](const std::string& text, double room_cm) {
    return gnuplot_text(wrapped(text, (room_cm - beside_cm) / kText_cm));
  };
  drawing.settings.emplace_back("xlabel", fitted(xlabel, drawing.width_cm));
  drawing.settings.emplace_back("ylabel", fitted(ylabel, drawing.height_cm));
}

}  // namespace starport
