// The figures over results, but for lines: bars, sorted values, distributions, trade-offs.
#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/report/plots/instance_labels.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/plots/result_figures.hpp"
#include "sim/results/figure.hpp"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace starport {
namespace {

/// Mean width of a bar below which bars cannot be told apart.
constexpr double kMinBar_cm = 0.06;

/// Adds the tables `places` (row of the results, position of its instance) and `instances`
/// (position, section, label).
void add_instances(ResultTable& results, const InstanceLabels& labels) {
  std::vector<Row> places;
  for (const auto& [row, place] : labels.position_of) places.push_back({row, place});
  std::vector<Row> instances;
  for (const InstanceLabels::Instance& instance : labels.instances) {
    instances.push_back(
        {static_cast<std::int64_t>(instances.size() + 1), instance.section, instance.label});
  }
  results.add_table("places", {"row", "position"}, places);
  results.add_table("instances", {"position", "section", "label"}, instances);
}

Drawing draw_distribution(const PlotRequest& request, const ResultSelection& selection,
                          const std::string& value);

/// Draws a group of bars per instance, with a line at 1 if `with_reference`; the distribution
/// instead if the bars would be too thin.
Drawing draw_bars(const PlotRequest& request, const std::string& value, bool with_reference) {
  ResultSelection selection = select_rows(request, {value});
  ResultTable& results = selection.results;
  const std::int64_t instances = count_instances(results);
  const std::int64_t bars = results.count("count(DISTINCT heuristic)") * instances;
  constexpr double widest_cm = 17;
  if ((request.width_cm > 0 ? request.width_cm : widest_cm) <
      static_cast<double>(bars) * kMinBar_cm) {
    Drawing drawing = draw_distribution(request, selection, value);
    drawing.remark += fmt::format(
        "{}{} bars of {} instances would be too thin: the figure shows their distribution instead "
        "(--where selects instances, --figure sorted shows all)",
        drawing.remark.empty() ? "" : "; ", bars, instances);
    return drawing;
  }
  const InstanceLabels labels = label_instances(results);
  add_instances(results, labels);
  nlohmann::ordered_json settings = axis_settings("y", request.figures, results, value);
  settings["xlabel"] = labels.caption;
  if (with_reference) settings["reference"] = 1;
  Drawing drawing = request.make_drawing(
      "bars",
      results.query_csv(
          fmt::format("SELECT instances.position AS position, instances.section AS section, "
                      "instances.label AS label, {} AS available, results.heuristic AS heuristic, "
                      "styles.style AS style, "
                      "CASE status WHEN 'ok' THEN {} END AS value "
                      "FROM results JOIN places ON places.row = results._rowid_ "
                      "JOIN instances ON instances.position = places.position "
                      "JOIN styles USING (heuristic) ORDER BY instances.position, styles.style",
                      value == "enrolled_workers" && results.has("workers") ? "workers" : "NULL",
                      qualified_column(value))),
      settings);
  drawing.remark = selection.remark;
  return drawing;
}

/// Number of values of a heuristic above which a figure of sorted values shows only some of them.
constexpr std::int64_t kMostValues = 20'000;
/// Number of smallest and of largest values that are always shown; few, so that quartiles do not
/// change.
constexpr std::int64_t kExtremeValues = 20;

/// Makes a figure of the values of each heuristic in ascending order. The data have the rank of
/// each value if `with_rank`.
Drawing draw_values(const PlotRequest& request, const ResultSelection& selection,
                    const std::string& value, const char* kind, bool with_rank) {
  nlohmann::ordered_json settings = axis_settings("y", request.figures, selection.results, value);
  settings["log"] = checked_log_axes(selection.results, request, "", value);
  const std::string column = qualified_column(value);
  const std::string complete = fmt::format("status = 'ok' AND {} IS NOT NULL", column);
  const auto most = selection.results.query(fmt::format(
      "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM results WHERE {} GROUP BY "
      "heuristic)",
      complete));
  const std::int64_t step = ceil_div(std::get<std::int64_t>(most[0][0]), kMostValues);
  std::string shown = "TRUE";
  if (step > 1) {
    shown = fmt::format("(rank - 1) % {} = 0 OR rank <= {} OR rank > of_all - {}", step,
                        kExtremeValues, kExtremeValues);
  }
  Drawing drawing = request.make_drawing(
      kind,
      selection.results.query_csv(fmt::format(
          "SELECT {}heuristic, style, value FROM (SELECT row_number() OVER own AS rank, {} AS "
          "of_all, results.heuristic AS heuristic, styles.style AS style, {} AS value FROM results "
          "JOIN styles USING (heuristic) WHERE {} WINDOW own AS (PARTITION BY styles.style ORDER "
          "BY {})) WHERE {} ORDER BY style, rank",
          with_rank ? "rank, " : "",
          step > 1 ? "count(*) OVER (PARTITION BY styles.style)" : "NULL", column, complete, column,
          shown)),
      settings);
  drawing.remark = selection.remark;
  if (step > 1) {
    drawing.remark +=
        fmt::format("{}of more than {} values, one in {} is drawn, and the {} at either end",
                    drawing.remark.empty() ? "" : "; ", kMostValues, step, kExtremeValues);
  }
  return drawing;
}

std::string value_asked(const PlotRequest& request) {
  return request.find("value").value_or("relative_cost");
}

Drawing draw_sorted(const PlotRequest& request) {
  const std::string value = value_asked(request);
  return draw_values(request, select_rows(request, {value}), value, "sorted", true);
}

Drawing draw_distribution(const PlotRequest& request, const ResultSelection& selection,
                          const std::string& value) {
  return draw_values(request, selection, value, "distribution", false);
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
    name += fmt::format("{}'{}' || coalesce({}, 'none')", name.empty() ? "" : " || ', ' || ",
                        boost::replace_all_copy(label_prefix(column), "'", "''"),
                        label_value_sql(column));
  }
  return name.empty() ? "''" : name;
}

Drawing draw_tradeoff(const PlotRequest& request) {
  const std::string y = request.find("value").value_or(std::string(kMakespan.key));
  const ResultSelection selection = select_rows(request, {y});
  // The star model reports no volume in bytes.
  const std::string volume(kVolume.key);
  const std::string x =
      request.find("x").value_or(has_values(selection.results, volume) ? volume : "blocks_moved");
  require_values(selection.results, x, "--x");
  require_pairs(selection.results, x, y);
  const std::string panels = panel_name(selection.results);
  nlohmann::ordered_json settings = axis_settings("x", request.figures, selection.results, x);
  settings.update(axis_settings("y", request.figures, selection.results, y));
  Drawing drawing = request.make_drawing(
      "tradeoff",
      selection.results.query_csv(fmt::format(
          "SELECT dense_rank() OVER (ORDER BY min(first)) AS panel, name, heuristic, "
          "style, avg(a) AS x, min(a) AS x_least, max(a) AS x_greatest, avg(b) AS y, "
          "min(b) AS y_least, max(b) AS y_greatest FROM (SELECT heuristic, status, {0} AS a, "
          "{1} AS b, {2} AS name, min(_rowid_) OVER (PARTITION BY {2}) AS first FROM results) "
          "JOIN styles USING (heuristic) WHERE status = 'ok' AND a IS NOT NULL AND "
          "b IS NOT NULL GROUP BY name, style ORDER BY panel, style",
          sql_name(x), sql_name(y), panels)),
      settings);
  drawing.remark = selection.remark;
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
      PlotKind{"bars",
               "makespan, or --value: a group of bars per instance",
               PlotInput::results,
               {"where", "value"},
               [](const PlotRequest& request) {
                 return draw_bars(request, request.find("value").value_or("makespan_s"), false);
               }},
      bars("cost", "relative cost: makespan over the smallest on the instance (bars)",
           "relative_cost"),
      bars("work", "relative work: makespan x enrolled workers, over the smallest (bars)",
           "relative_work"),
      bars("bound", "makespan over the lower bound for schedules of its kind (bars)",
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
