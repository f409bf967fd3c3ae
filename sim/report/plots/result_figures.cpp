#include "sim/report/plots/result_figures.hpp"

#include "sim/files/error.hpp"
#include "sim/report/plots/figure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

/// Adds the table `styles`. A heuristic's style is its position in `listed`; others follow in the
/// order of the rows. Returns the length of the longest name, in characters.
std::size_t add_styles(ResultTable& results, const std::vector<std::string>& listed) {
  std::vector<Row> styles;
  std::size_t longest = 0;
  auto last_style = static_cast<std::int64_t>(listed.size());
  for (const Row& row : results.query("SELECT cast(heuristic AS text), max(status = 'ok') FROM "
                                      "results GROUP BY heuristic ORDER BY min(_rowid_)")) {
    const auto& name = std::get<std::string>(row[0]);
    const auto entry = std::ranges::find(listed, name);
    const std::int64_t style = entry != listed.end() ? entry - listed.begin() + 1 : ++last_style;
    if (row[1] != Cell{std::int64_t{1}}) continue;
    styles.push_back({name, style, gnuplot_field(name)});
    longest = std::max(longest, character_count(name));
  }
  results.add_table("styles", {"heuristic", "style", "shown"}, styles);
  return longest;
}

}  // namespace

void require_numbers(const ResultTable& results, const std::string& column, const char* option) {
  results.require({column});
  const auto texts = results.query(
      fmt::format("SELECT {0} FROM results WHERE typeof({0}) = 'text' ORDER BY _rowid_ LIMIT 1",
                  sql_name(column)));
  if (texts.empty()) return;
  throw InputError(option, "a column of numbers",
                   fmt::format("{}, which holds '{}'", column, std::get<std::string>(texts[0][0])));
}

bool has_values(const ResultTable& results, const std::string& column) {
  return results.has(column) &&
         results.count(fmt::format("count({})", sql_name(column)), "status = 'ok'") > 0;
}

void require_values(const ResultTable& results, const std::string& column, const char* option) {
  require_numbers(results, column, option);
  if (has_values(results, column)) return;
  throw InputError("", "a value of " + column, "none in the selected rows").in_file(results.path());
}

ResultSelection select_rows(const PlotRequest& request, const std::vector<std::string>& columns) {
  ResultSelection selection{
      .results = request.table ? request.table->copy() : ResultTable::read_csv(request.files),
      .longest_name = 0};
  ResultTable& results = selection.results;
  results.require({"heuristic", "status"});
  for (const std::string& column : columns) {
    if (request.find("value") || results.has(column)) continue;
    throw InputError("", "results with a column " + column, "results of a model without it")
        .in_file(results.path());
  }
  const std::int64_t total = results.count("count(*)");
  if (const auto condition = request.find("where")) results.filter(*condition, "--where");
  if (const auto series = request.find("series")) results.name_rows_by(*series);
  const std::int64_t selected = results.count("count(*)");
  const std::string whole = fmt::format(
      "{} row{}{}", total, total == 1 ? "" : "s",
      request.files.size() > 1 ? fmt::format(" in {} files", request.files.size()) : "");
  if (selected == 0 && total > 0) {
    throw InputError("--where", "a condition that some rows meet", "none of " + whole)
        .in_file(results.path());
  }
  const std::int64_t good = results.count("count(*)", "status = 'ok'");
  if (good == 0) {
    throw InputError("", "rows whose status is ok",
                     fmt::format("none of {} selected, of {}", selected, whole))
        .in_file(results.path());
  }
  if (results.count("count(*)", "heuristic IS NULL") > 0) {
    throw InputError("", "a heuristic in each row", "a row without one").in_file(results.path());
  }
  for (const std::string& column : columns) require_values(results, column, "--value");
  if (good < selected) {
    selection.remark =
        fmt::format("{} of {} rows left out: their status is not ok", selected - good, selected);
  }
  selection.longest_name = add_styles(results, request.heuristics);
  return selection;
}

void apply_log_option(Drawing& drawing, const ResultTable& results, const PlotRequest& request,
                      const std::string& x, const std::string& y) {
  const std::string axes = request.find("log").value_or("");
  if (axes.empty()) return;
  if (axes != "y" && (x.empty() || (axes != "x" && axes != "xy"))) {
    throw InputError("--log", x.empty() ? "y" : "x, y or xy", "'" + axes + "'");
  }
  for (const std::string& column : {axes == "y" ? "" : x, axes == "x" ? "" : y}) {
    if (column.empty()) continue;
    const auto nonpositive = results.query(fmt::format(
        "SELECT cast({0} AS text) FROM results WHERE status = 'ok' AND {0} <= 0 LIMIT 1",
        sql_name(column)));
    if (nonpositive.empty()) continue;
    throw InputError("--log", fmt::format("positive values of {}", column),
                     std::get<std::string>(nonpositive[0][0]));
  }
  drawing.settings.emplace_back("logarithmic", gnuplot_text(axes));
}

std::string qualified_column(const std::string& name) { return "results." + sql_name(name); }

std::string axis_caption_for(const PlotRequest& request, const std::string& column, char axis) {
  const bool logarithmic = request.find("log").value_or("").find(axis) != std::string::npos;
  return axis_caption(request.figures, column) + (logarithmic ? " (log scale)" : "");
}

void require_size(const PlotRequest& request, MinimumSize least, const std::string& hint) {
  if (request.width_cm == 0) return;
  if (request.width_cm >= least.width_cm && request.height_cm >= least.height_cm) return;
  const auto up = [](double cm) { return std::ceil(10 * cm - 1e-6) / 10; };
  throw InputError("--size",
                   fmt::format("at least {:g}x{:g} for this figure",
                               up(std::max(least.width_cm, request.width_cm)),
                               up(std::max(least.height_cm, request.height_cm))),
                   fmt::format("{:g}x{:g}", request.width_cm, request.height_cm), hint);
}

double heading_height_cm(const PlotRequest& request, double legend_cm) {
  const std::string title = wrap_title(request.title, request.width_cm);
  return 0.5 + legend_cm + (title.empty() ? 0 : 0.15 + title_height_cm(title));
}

MinimumSize minimum_size_with_legend(const PlotRequest& request, const ResultSelection& selection) {
  // Keep these equal to the measures in plots/style.gp.
  constexpr double row_cm = 0.36;
  constexpr double axis_cm = 1.2;  // below the plot
  constexpr double least_plot_cm = 1.5;
  // One entry more: the legend may name a bound.
  const auto names =
      static_cast<double>(selection.results.query("SELECT 1 FROM styles").size() + 1);
  const double name_cm =
      (selection.longest_name > 12 ? 0.15 : 0.21) * static_cast<double>(selection.longest_name);
  if (1.6 + name_cm < 0.4 * request.width_cm) {
    return {
        6, std::max(heading_height_cm(request, 0) + axis_cm + least_plot_cm, 0.5 + row_cm * names)};
  }
  const double columns = std::max(1.0, std::floor((request.width_cm - 0.4) / (1 + name_cm)));
  return {
      std::max(4.5, 1.4 + name_cm),
      heading_height_cm(request, row_cm * std::ceil(names / columns)) + axis_cm + least_plot_cm};
}

void set_size_and_captions(Drawing& drawing, const PlotRequest& request, double width_cm,
                           double height_cm, const std::string& xlabel, const std::string& ylabel) {
  drawing.title = request.title;
  drawing.width_cm = request.width_cm > 0 ? request.width_cm : width_cm;
  drawing.height_cm = request.height_cm > 0 ? request.height_cm : height_cm;
  constexpr double beside_cm = 1.5;
  const auto fitted = [&](const std::string& text, double room_cm) {
    return gnuplot_text(wrap(text, (room_cm - beside_cm) / kText_cm));
  };
  drawing.settings.emplace_back("xlabel", fitted(xlabel, drawing.width_cm));
  drawing.settings.emplace_back("ylabel", fitted(ylabel, drawing.height_cm));
}

}  // namespace starport
