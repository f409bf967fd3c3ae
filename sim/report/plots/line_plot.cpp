#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/report/plots/instance_labels.hpp"
#include "sim/report/plots/result_figures.hpp"
#include "sim/results/figure.hpp"
#include "sim/results/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace starport {
namespace {

/// Returns an error if the rows of a point differ in anything but the repetition. A point stands
/// for one instance or its repetitions: a mean over different platforms or problems is meaningless,
/// except for values relative to other runs on the same instance.
std::optional<InputError> find_mixed_point(const ResultTable& results, const std::string& x,
                                           bool by_series) {
  std::vector<std::string> columns = identity_columns(results);
  columns.emplace_back("_file");
  for (const std::string& column : columns) {
    if (column == x || column == "repetition" || column == "seed") continue;
    const auto clashes = results.query(
        fmt::format("SELECT cast(min({1}) AS text), cast(max({1}) AS text) FROM results "
                    "WHERE status = 'ok' GROUP BY {0}{2} HAVING min({1}) <> max({1}) LIMIT 1",
                    sql_name(x), sql_name(column), by_series ? ", heuristic" : ""));
    if (clashes.empty()) continue;
    const std::string name = column == "_file" ? "file" : column;
    return InputError("--x", fmt::format("one {} for each {}", name, x),
                      fmt::format("'{}' and '{}'", std::get<std::string>(clashes[0][0]),
                                  std::get<std::string>(clashes[0][1])),
                      "choose with --where");
  }
  return std::nullopt;
}

/// The band around a line: the range of the values, none, the range between the quartiles, or the
/// 95 % interval of the mean.
enum class Band { range, none, quartiles, interval };

/// Returns the value of --band; by default the range of the repetitions, if the points are those.
Band band_of(const PlotRequest& request, bool of_repetitions) {
  const auto asked = request.find("band");
  if (!asked) return of_repetitions ? Band::range : Band::none;
  if (*asked == "quartiles") return Band::quartiles;
  if (*asked == "95%") return Band::interval;
  throw InputError("--band", "quartiles or 95%", "'" + *asked + "'");
}

/// A point of a line and its band.
struct Point {
  double value;
  double least;
  double greatest;
};

/// Computes the point of the values at one x: their mean, or their median for quartiles.
Point make_point(std::vector<double> values, Band band) {
  std::ranges::sort(values);
  const double mean = mean_of(values);
  switch (band) {
    case Band::range:
      return {mean, values.front(), values.back()};
    case Band::none:
      return {mean, mean, mean};
    case Band::quartiles:
      return {quantile_of(values, 0.5), quantile_of(values, 0.25), quantile_of(values, 0.75)};
    case Band::interval:
      break;
  }
  if (values.size() < 2) return {mean, mean, mean};
  const auto [low, high] = interval_of(values);
  return {mean, low, high};
}

/// Returns the number of bins for this number of distinct x values; 0: no bins.
std::int64_t bins_of(const PlotRequest& request, std::int64_t x_values) {
  const auto asked = request.find("bins");
  if (!asked) return x_values > kMaxLinePoints ? kDefaultBins : 0;
  const auto bins = parse_number<std::int64_t>(*asked);
  if (bins && *bins >= 1 && *bins <= 1000) return *bins;
  throw InputError("--bins", "a number of groups from 1 to 1000", "'" + *asked + "'");
}

/// The rows of one heuristic at one x, or in one bin.
struct Cluster {
  std::string heuristic;
  std::int64_t style = 0;
  Cell group;  ///< the x value, or the number of the bin
  std::vector<double> x;
  std::vector<double> bounds;
  std::vector<double> values;
};

/// The value that a figure shows for a cluster of rows.
struct ClusterPoint {
  std::string heuristic;
  std::int64_t style;
  Cell group;
  double x;
  double bound;  ///< -infinity: not all rows have one
  Point point;

  ClusterPoint(const Cluster& rows, Band band)
      : heuristic(rows.heuristic),
        style(rows.style),
        group(rows.group),
        bound(rows.bounds.size() < rows.values.size() ? -std::numeric_limits<double>::infinity()
                                                      : make_point(rows.bounds, band).value),
        point(make_point(rows.values, band)) {
    // The mean of equal values could differ from them by rounding.
    const auto [least, greatest] = std::ranges::minmax(rows.x);
    x = least == greatest ? least : mean_of(rows.x);
  }

  std::string row(const std::optional<double>& common_bound) const {
    return fmt::format("{},{},{},{},{},{},{}\r\n", x,
                       common_bound ? fmt::format("{}", *common_bound) : "",
                       quote_csv_field(heuristic), style, point.value, point.least, point.greatest);
  }
};

/// Returns by x (or bin) the bound that holds for all clusters there, the smallest of theirs. There
/// is none where a cluster has none, such as the rows of another model.
std::map<Cell, double> common_bounds(const std::vector<ClusterPoint>& clusters) {
  std::map<Cell, double> bounds;
  for (const ClusterPoint& cluster : clusters) {
    const auto [entry, added] = bounds.emplace(cluster.group, cluster.bound);
    if (!added) entry->second = std::min(entry->second, cluster.bound);
  }
  std::erase_if(bounds, [](const auto& entry) { return std::isinf(entry.second); });
  return bounds;
}

/// Returns the figure that is the ratio of the makespan to a bound; nullptr if the results have
/// none or `value` is not the makespan.
const Figure* ratio_to_bound(const PlotRequest& request, const ResultTable& results,
                             const std::string& value) {
  const auto found = std::ranges::find_if(request.figures, [&](const Figure* figure) {
    return !figure->bound.empty() && results.has(std::string(figure->key));
  });
  return value == kMakespan.key && found != request.figures.end() ? *found : nullptr;
}

/// Draws a value against --x, with a line for each heuristic.
Drawing draw_lines(const PlotRequest& request) {
  if (!request.find("x")) {
    throw InputError("--x", "a column for the axis, such as s or block_size", "nothing");
  }
  const std::string x = *request.find("x");
  const std::string value = request.find("value").value_or("makespan_s");
  const ResultSelection selection = select_rows(request, {value});
  const Figure* ratio = ratio_to_bound(request, selection.results, value);
  require_numbers(selection.results, x, "--x");
  require_pairs(selection.results, x, value);
  const auto mixed = find_mixed_point(selection.results, x, request.find("series").has_value());
  const std::int64_t x_values =
      selection.results.count(fmt::format("count(DISTINCT {})", qualified_column(x)));
  const std::int64_t bins = bins_of(request, x_values);
  const bool binned_by_default = bins > 0 && !request.find("bins");
  const bool has_band = binned_by_default || request.find("band").has_value();
  if (mixed && !has_band && !value.starts_with("relative_")) throw *mixed;
  // The range is only that of repetitions if the rows of a point differ in nothing else.
  const Band band =
      binned_by_default && !request.find("band") ? Band::quartiles : band_of(request, !mixed);
  std::vector<ClusterPoint> clusters;
  std::optional<Cluster> cluster;  // the rows of one are held at a time
  selection.results.for_each_row(
      fmt::format(
          "SELECT results.heuristic, styles.style, {3} AS place, {0}, {2}, {1} FROM "
          "results "
          "JOIN styles USING (heuristic) WHERE status = 'ok' AND {0} IS NOT NULL AND {1} IS NOT "
          "NULL ORDER BY styles.style, place, results._rowid_",
          qualified_column(x), qualified_column(value),
          ratio ? fmt::format("1.0 * {} / {}", qualified_column(value),
                              qualified_column(std::string(ratio->key)))
                : "NULL",
          bins > 0 ? fmt::format("ntile({}) OVER (ORDER BY {})", bins, qualified_column(x))
                   : qualified_column(x)),
      [&](const Row& row) {
        const auto style = std::get<std::int64_t>(row[1]);
        if (!cluster || cluster->style != style || cluster->group != row[2]) {
          if (cluster) clusters.emplace_back(*cluster, band);
          cluster = {.heuristic = std::get<std::string>(row[0]), .style = style, .group = row[2]};
        }
        cluster->x.push_back(to_real(row[3]));
        if (row[4] != Cell{}) cluster->bounds.push_back(to_real(row[4]));
        cluster->values.push_back(to_real(row[5]));
      });
  if (cluster) clusters.emplace_back(*cluster, band);
  const std::map<Cell, double> bounds = common_bounds(clusters);
  std::string data = "x,bound,heuristic,style,value,least,greatest\r\n";
  for (const ClusterPoint& point : clusters) {
    const auto bound = bounds.find(point.group);
    data += point.row(bound == bounds.end() ? std::nullopt : std::optional(bound->second));
  }
  // The kinds of points and ranges, in the words of plots/figure.py.
  const std::map<Band, const char*> ranges{{Band::range, "repetitions"},
                                           {Band::none, ""},
                                           {Band::quartiles, "quartiles"},
                                           {Band::interval, "interval"}};
  nlohmann::ordered_json settings = axis_settings("x", request.figures, selection.results, x);
  settings.update(axis_settings("y", request.figures, selection.results, value));
  settings["log"] = checked_log_axes(selection.results, request, x, value);
  settings["range"] = ranges.at(band);
  if (bins > 0) settings["binned"] = 1;
  if (ratio) settings["bound_name"] = ratio->bound;
  Drawing drawing = request.make_drawing("lines", std::move(data), settings);
  drawing.remark = selection.remark;
  if (binned_by_default) {
    drawing.remark += fmt::format(
        "{}{} values of {} are put together in {} bins, drawn by their median and quartiles "
        "(--bins and --band choose otherwise)",
        drawing.remark.empty() ? "" : "; ", x_values, x, bins);
  }
  return drawing;
}

}  // namespace

PlotKind line_plot() {
  return {"lines",
          "makespan and the tightest bound, or --value, against --x: a line per heuristic",
          PlotInput::results,
          {"where", "x", "value", "log", "band", "bins", "series"},
          draw_lines};
}

}  // namespace starport
