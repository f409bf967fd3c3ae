// The figures over results, but for lines: bars, sorted values, distributions, trade-offs.
#include "plots/scripts.hpp"
#include "sim/files/error.hpp"
#include "sim/report/plots/figure_text.hpp"
#include "sim/report/plots/instance_labels.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/plots/result_figures.hpp"
#include "sim/results/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace starport {
namespace {

constexpr double kYAxis_cm = 1.6;      ///< width of the y axis with its caption and labels
constexpr double kMinBar_cm = 0.02;    ///< thinner bars cannot be seen
constexpr double kMinWidth_cm = 4.5;   ///< of a figure
constexpr double kMinPlot_cm = 1.5;    ///< height between the axes
constexpr double kBelowBars_cm = 0.9;  ///< height of a caption and a horizontal label

/// Adds the tables `places` (row of the results, position of its instance) and `instances`
/// (position, section, label).
void add_instances(ResultTable& results, const InstanceLabels& labels) {
  std::vector<Row> places;
  for (const auto& [row, place] : labels.position_of) places.push_back({row, place});
  std::vector<Row> instances;
  for (const InstanceLabels::Instance& instance : labels.instances) {
    std::string section;
    for (std::size_t from = 0; from <= instance.section.size();) {
      const std::size_t end = std::min(instance.section.find('\n', from), instance.section.size());
      section += (from > 0 ? "\\n" : "") + gnuplot_field(instance.section.substr(from, end - from));
      from = end + 1;
    }
    instances.push_back(
        {static_cast<std::int64_t>(instances.size() + 1), section, gnuplot_field(instance.label)});
  }
  results.add_table("places", {"row", "position"}, places);
  results.add_table("instances", {"position", "section", "label"}, instances);
}

/// Returns the height of the names of sections, below the bars.
double sections_cm(const InstanceLabels& labels) {
  constexpr double line_cm = 0.32;
  std::ptrdiff_t lines = 0;
  for (const InstanceLabels::Instance& instance : labels.instances) {
    if (instance.section.empty()) continue;
    lines = std::max(lines, 1 + std::ranges::count(instance.section, '\n'));
  }
  return line_cm * static_cast<double>(lines);
}

/// Returns the height of a legend above the bars.
double legend_cm(const ResultSelection& selection, double width_cm) {
  constexpr double row_cm = 0.35;
  constexpr double sample_cm = 0.8;
  const auto names = selection.results.query("SELECT 1 FROM styles").size();
  const double name_cm = static_cast<double>(selection.longest_name) * kSmallText_cm * 1.15;
  const double columns = std::max(1.0, std::floor(width_cm / (sample_cm + name_cm)));
  return row_cm * std::ceil(static_cast<double>(names) / columns);
}

Drawing draw_distribution(const PlotRequest& request, const ResultSelection& selection,
                          const std::string& value);

/// Draws a group of bars per instance, with a line at 1 if `with_reference`; the distribution
/// instead if the bars would be too thin.
Drawing draw_bars(const PlotRequest& request, const std::string& value, bool with_reference) {
  ResultSelection selection = select_rows(request, {value});
  ResultTable& results = selection.results;
  const auto width_cm = [&](std::size_t groups) {
    return request.width_cm > 0 ? request.width_cm : groups > 6 ? 17.0 : 12.0;
  };
  const auto room = [&](std::size_t groups) {
    return (width_cm(groups) - kYAxis_cm) / static_cast<double>(groups) / kSmallText_cm;
  };
  const InstanceLabels labels = label_instances(results, room);
  const auto bars = static_cast<std::size_t>(results.count("count(DISTINCT heuristic)")) *
                    labels.instances.size();
  if (width_cm(labels.instances.size()) < static_cast<double>(bars) * kMinBar_cm) {
    Drawing drawing = draw_distribution(request, selection, value);
    drawing.remark += fmt::format(
        "{}{} bars of {} instances would be too thin: the figure shows their distribution instead "
        "(--where selects instances, --figure sorted shows all)",
        drawing.remark.empty() ? "" : "; ", bars, labels.instances.size());
    return drawing;
  }
  add_instances(results, labels);

  Drawing drawing{.script = embedded::plots_bars_gp, .remark = selection.remark};
  if (with_reference) drawing.settings.emplace_back("reference", "1");
  drawing.data = results.query_csv(
      fmt::format("SELECT instances.position AS position, instances.section AS section, "
                  "instances.label AS label, {} AS available, styles.shown AS heuristic, "
                  "styles.style AS style, "
                  "CASE status WHEN 'ok' THEN {} END AS value "
                  "FROM results JOIN places ON places.row = results._rowid_ "
                  "JOIN instances ON instances.position = places.position "
                  "JOIN styles USING (heuristic) ORDER BY instances.position, styles.style",
                  value == "enrolled_workers" && results.has("workers") ? "workers" : "NULL",
                  qualified_column(value)));

  std::size_t longest = 0;
  for (const auto& instance : labels.instances) {
    longest = std::max(longest, character_count(instance.label));
  }
  const std::size_t groups = labels.instances.size();
  const bool turned = static_cast<double>(longest) > room(groups) && room(groups) > 2;
  const double labels_cm = turned ? static_cast<double>(longest) * kSmallText_cm : 0;
  require_size(request,
               {kMinWidth_cm, heading_height_cm(request, legend_cm(selection, request.width_cm)) +
                                  sections_cm(labels) + labels_cm + kBelowBars_cm + kMinPlot_cm},
               "--figure distribution and sorted need less room; --where selects instances");
  set_size_and_captions(drawing, request, width_cm(groups),
                        6.2 + labels_cm + legend_cm(selection, width_cm(groups)), labels.caption,
                        axis_caption(request.figures, value));
  return drawing;
}

/// Makes a figure whose data an SQL query returns; {0} in the SQL is the value's column.
Drawing draw_values(const PlotRequest& request, const ResultSelection& selection,
                    const std::string& value, std::string_view script, std::string_view sql) {
  Drawing drawing{
      .script = script,
      .data = selection.results.query_csv(fmt::format(fmt::runtime(sql), qualified_column(value))),
      .remark = selection.remark};
  apply_log_option(drawing, selection.results, request, "", value);
  return drawing;
}

std::string value_asked(const PlotRequest& request) {
  return request.find("value").value_or("relative_cost");
}

Drawing draw_sorted(const PlotRequest& request) {
  const std::string value = value_asked(request);
  const ResultSelection selection = select_rows(request, {value});
  require_size(request, minimum_size_with_legend(request, selection));
  Drawing drawing =
      draw_values(request, selection, value, embedded::plots_sorted_gp,
                  "SELECT row_number() OVER (PARTITION BY styles.style ORDER BY {0}) AS rank, "
                  "styles.shown AS heuristic, styles.style AS style, {0} AS value FROM results "
                  "JOIN styles USING (heuristic) "
                  "WHERE status = 'ok' AND {0} IS NOT NULL ORDER BY styles.style, 1");
  set_size_and_captions(drawing, request, 12, 7, "instances, sorted for each heuristic",
                        axis_caption_for(request, value, 'y'));
  return drawing;
}

Drawing draw_distribution(const PlotRequest& request, const ResultSelection& selection,
                          const std::string& value) {
  Drawing drawing =
      draw_values(request, selection, value, embedded::plots_distribution_gp,
                  "SELECT styles.shown AS heuristic, styles.style AS style, {0} AS "
                  "value FROM results JOIN styles USING (heuristic) "
                  "WHERE status = 'ok' AND {0} IS NOT NULL ORDER BY styles.style, {0}");
  const double names_cm =
      selection.longest_name > 12 ? static_cast<double>(selection.longest_name) * kSmallText_cm : 0;
  const auto names = static_cast<double>(selection.results.query("SELECT 1 FROM styles").size());
  const double longest_cm =
      (selection.longest_name > 12 ? 0.15 : 0.21) * static_cast<double>(selection.longest_name);
  const bool turned = longest_cm > (request.width_cm - kYAxis_cm) / names;
  require_size(request,
               {std::max(kMinWidth_cm, kYAxis_cm + 0.35 * names),
                heading_height_cm(request, 0) + (turned ? longest_cm : 0.4) + 0.3 + kMinPlot_cm});
  set_size_and_captions(drawing, request, 12, 7 + names_cm, "",
                        axis_caption_for(request, value, 'y'));
  return drawing;
}

/// Returns an SQL expression for the name of a row's panel, made of the columns in which instances
/// differ: without repetitions, without r, s and t, which follow from the problem, and with the
/// experiment only if nothing else differs.
std::string panel_name(const ResultTable& results) {
  static const std::set<std::string> ignored{"repetition", "seed", "r", "s", "t"};
  std::string name;
  for (const std::string& column : identity_columns(results)) {
    if (ignored.contains(column) || (column == "experiment" && !name.empty())) continue;
    const std::string quoted = sql_name(column);
    if (results.query(fmt::format("SELECT DISTINCT {} FROM results LIMIT 2", quoted)).size() < 2) {
      continue;
    }
    name += fmt::format("{}'{}' || {}", name.empty() ? "" : " || ' - ' || ",
                        column == "platform" ? "" : column + " ", quoted);
  }
  return name.empty() ? "''" : fmt::format("replace({}, ',', '\\054')", name);
}

Drawing draw_tradeoff(const PlotRequest& request) {
  const std::string y = request.find("value").value_or(std::string(kMakespan.key));
  const ResultSelection selection = select_rows(request, {y});
  // The star model reports no volume in bytes.
  const std::string volume(kVolume.key);
  const std::string x =
      request.find("x").value_or(has_values(selection.results, volume) ? volume : "blocks_moved");
  require_values(selection.results, x, "--x");
  const std::string panels = panel_name(selection.results);
  Drawing drawing{
      .script = embedded::plots_tradeoff_gp,
      .data = selection.results.query_csv(fmt::format(
          "SELECT dense_rank() OVER (ORDER BY min(first)) AS panel, name, shown AS heuristic, "
          "style, avg({0}) AS x, min({0}) AS x_least, max({0}) AS x_greatest, avg({1}) AS y, "
          "min({1}) AS y_least, max({1}) AS y_greatest FROM (SELECT *, {2} AS name, "
          "min(_rowid_) OVER (PARTITION BY {2}) AS first FROM results) "
          "JOIN styles USING (heuristic) WHERE status = 'ok' AND {0} IS NOT NULL AND "
          "{1} IS NOT NULL GROUP BY name, style ORDER BY panel, style",
          sql_name(x), sql_name(y), panels)),
      .remark = selection.remark};
  const auto count =
      selection.results.query(fmt::format("SELECT DISTINCT {} FROM results", panels)).size();
  const auto rows = static_cast<double>((count + 1) / 2);
  constexpr double least_panel_cm = 3;  // with its title and its axis
  require_size(
      request,
      {count > 1 ? 2 * kMinWidth_cm - 1.5 : kMinWidth_cm,
       heading_height_cm(request, legend_cm(selection, request.width_cm)) + least_panel_cm * rows},
      "--where selects panels");
  set_size_and_captions(drawing, request, count > 1 ? 17 : 12,
                        5.5 * rows + legend_cm(selection, 17), axis_caption(request.figures, x),
                        axis_caption(request.figures, y));
  return drawing;
}

}  // namespace

std::vector<PlotKind> result_plots() {
  const auto bars = [](const char* name, const char* summary, const char* value,
                       bool with_reference = true) {
    const auto draw = [=](const PlotRequest& request) {
      return draw_bars(request, value, with_reference);
    };
    return PlotKind{name, summary, PlotInput::results, {"where"}, draw};
  };
  const std::vector<std::string> value_options{"where", "value", "log"};
  return {
      bars("cost", "relative cost: makespan over the smallest on the instance (bars)",
           "relative_cost"),
      bars("work", "relative work: makespan x enrolled workers, over the smallest (bars)",
           "relative_work"),
      bars("bound", "makespan over the tightest lower bound for the schedule (bars)",
           "times_tightest_bound"),
      bars("enrolled", "enrolled workers (bars) and workers of the platform (lines)",
           "enrolled_workers", false),
      PlotKind{"sorted", "relative cost, or --value, of all instances in increasing order",
               PlotInput::results, value_options, draw_sorted},
      PlotKind{"distribution",
               "relative cost, or --value, over the instances: quartiles and outliers",
               PlotInput::results, value_options,
               [](const PlotRequest& request) {
                 const std::string value = value_asked(request);
                 return draw_distribution(request, select_rows(request, {value}), value);
               }},
      line_plot(),
      PlotKind{"tradeoff",
               "makespan, or --value, against volume, or --x: mean and range of each heuristic; "
               "a panel per problem",
               PlotInput::results,
               {"where", "x", "value"},
               draw_tradeoff}};
}

}  // namespace starport
