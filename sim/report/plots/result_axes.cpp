#include "sim/report/plots/result_axes.hpp"

#include "sim/files/error.hpp"
#include "sim/report/plots/figure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

void require_size(const PlotRequest& request, LeastSize least, const std::string& hint) {
  if (request.width_cm == 0) return;
  if (request.width_cm >= least.width_cm && request.height_cm >= least.height_cm) return;
  const auto up = [](double cm) { return std::ceil(10 * cm - 1e-6) / 10; };
  throw InputError("--size",
                   fmt::format("at least {:g}x{:g} for this figure",
                               up(std::max(least.width_cm, request.width_cm)),
                               up(std::max(least.height_cm, request.height_cm))),
                   fmt::format("{:g}x{:g}", request.width_cm, request.height_cm), hint);
}

double head_cm(const PlotRequest& request, double legend_cm) {
  const std::string title = fitted_title(request.title, request.width_cm);
  return 0.5 + legend_cm + (title.empty() ? 0 : 0.15 + height_cm_of(title));
}

LeastSize least_with_legend(const PlotRequest& request, const ResultSelection& selection) {
  // As plots/style.gp has them.
  constexpr double row_cm = 0.36;
  constexpr double axis_cm = 1.2;  // below the plot
  constexpr double least_plot_cm = 1.5;
  // A bound may stand with them.
  const auto names =
      static_cast<double>(selection.results.query("SELECT 1 FROM styles").size() + 1);
  const double name_cm =
      (selection.longest_name > 12 ? 0.15 : 0.21) * static_cast<double>(selection.longest_name);
  if (1.6 + name_cm < 0.4 * request.width_cm) {
    return {6, std::max(head_cm(request, 0) + axis_cm + least_plot_cm, 0.5 + row_cm * names)};
  }
  const double columns = std::max(1.0, std::floor((request.width_cm - 0.4) / (1 + name_cm)));
  return {std::max(4.5, 1.4 + name_cm),
          head_cm(request, row_cm * std::ceil(names / columns)) + axis_cm + least_plot_cm};
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
