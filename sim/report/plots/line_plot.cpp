#include "sim/report/plots/line_plot.hpp"

#include "plots/scripts.hpp"
#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/report/plots/instance_labels.hpp"
#include "sim/report/plots/result_axes.hpp"
#include "sim/results/common_figures.hpp"
#include "sim/results/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace starport {
namespace {

/// A point of a line stands for one instance, or for its repetitions: a mean over platforms or
/// problems that differ would mean nothing, but for figures that are relative to others of the same
/// instance.
std::optional<InputError> difference_along(const ResultTable& results, const std::string& x,
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

enum class Band { range, none, quartiles, interval };

/// Between the least and the greatest of the repetitions, unless asked for another one.
Band band_of(const PlotRequest& request, bool of_repetitions) {
  const auto asked = request.find("band");
  if (!asked) return of_repetitions ? Band::range : Band::none;
  if (*asked == "quartiles") return Band::quartiles;
  if (*asked == "95%") return Band::interval;
  throw InputError("--band", "quartiles or 95%", "'" + *asked + "'");
}

/// What is drawn at one abscissa.
struct Point {
  double value;
  double least;
  double greatest;
};

/// By linear interpolation between the values, which are in order.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

Point point_of(std::vector<double> values, Band band) {
  std::ranges::sort(values);
  const double mean = mean_of(values);
  switch (band) {
    case Band::range:
      return {mean, values.front(), values.back()};
    case Band::none:
      return {mean, mean, mean};
    case Band::quartiles:
      return {quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75)};
    case Band::interval:
      break;
  }
  if (values.size() < 2) return {mean, mean, mean};
  const auto [low, high] = interval_of(values);
  return {mean, low, high};
}

/// How many groups so many abscissae are put together in; 0: each stands for itself. Lines through
/// more points than that would be a smear.
std::int64_t bins_of(const PlotRequest& request, std::int64_t abscissae) {
  const auto asked = request.find("bins");
  if (!asked) return abscissae > kMostLinePoints ? kLineGroups : 0;
  const auto bins = parse_number<std::int64_t>(*asked);
  if (bins && *bins >= 1 && *bins <= 1000) return *bins;
  throw InputError("--bins", "a number of groups from 1 to 1000", "'" + *asked + "'");
}

/// Rows of one heuristic and one abscissa, or one group of abscissae.
struct Cluster {
  std::string heuristic;
  std::int64_t style = 0;
  Cell group;
  std::vector<double> x;
  std::vector<double> bounds;
  std::vector<double> values;

  std::string row(Band band, const std::optional<double>& bound) const {
    const Point point = point_of(values, band);
    const auto [least, greatest] = std::ranges::minmax(x);  // a mean of equals would be rounded
    return fmt::format("{},{},{},{},{},{},{}\r\n", least == greatest ? least : mean_of(x),
                       bound ? fmt::format("{}", *bound) : "", heuristic, style, point.value,
                       point.least, point.greatest);
  }
};

/// At each place the bound that holds for all that stands there: the least of those of its
/// clusters, none where one of them has none, as rows of another model.
std::map<Cell, double> bounds_of(const std::vector<Cluster>& clusters, Band band) {
  std::map<Cell, double> bounds;
  for (const Cluster& cluster : clusters) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const double bound =
        cluster.bounds.size() < cluster.values.size() ? none : point_of(cluster.bounds, band).value;
    const auto [place, added] = bounds.emplace(cluster.group, bound);
    if (!added) place->second = std::min(place->second, bound);
  }
  std::erase_if(bounds, [](const auto& place) { return std::isinf(place.second); });
  return bounds;
}

/// The ratio of the makespan to the bound that it is judged by, where the results have one.
const Figure* ratio_to_bound(const PlotRequest& request, const ResultTable& results,
                             const std::string& value) {
  const auto found = std::ranges::find_if(request.figures, [&](const Figure* figure) {
    return !figure->bound.empty() && results.has(std::string(figure->key));
  });
  return value == kMakespan.key && found != request.figures.end() ? *found : nullptr;
}

}  // namespace

Drawing draw_lines(const PlotRequest& request) {
  if (!request.find("x")) {
    throw InputError("--x", "a column for the axis, such as s or block_size", "nothing");
  }
  const std::string x = *request.find("x");
  const std::string value = request.find("value").value_or("makespan_s");
  const ResultSelection selection = select(request, {value});
  const Figure* ratio = ratio_to_bound(request, selection.results, value);
  require_numbers(selection.results, x, "--x");
  require_size(request, least_with_legend(request, selection));
  const auto difference =
      difference_along(selection.results, x, request.find("series").has_value());
  const std::int64_t abscissae =
      selection.results.count(fmt::format("count(DISTINCT {})", result_column(x)));
  const std::int64_t bins = bins_of(request, abscissae);
  const bool by_itself = bins > 0 && !request.find("bins");
  const bool spread = by_itself || request.find("band").has_value();
  if (difference && !spread && !value.starts_with("relative_")) throw *difference;
  // A range over what differs would not be that of repetitions.
  const Band band =
      by_itself && !request.find("band") ? Band::quartiles : band_of(request, !difference);
  std::vector<Cluster> clusters;
  for (const Row& row : selection.results.query(fmt::format(
           "SELECT styles.shown, styles.style, {4} AS place, {0}, {2}, {1} FROM results "
           "JOIN styles USING (heuristic) WHERE status = 'ok' AND {0} IS NOT NULL AND {1} IS NOT "
           "NULL ORDER BY styles.style, place{3}",
           result_column(x), result_column(value),
           ratio ? fmt::format("1.0 * {} / {}", result_column(value),
                               result_column(std::string(ratio->key)))
                 : "NULL",
           ", results._rowid_",
           bins > 0 ? fmt::format("ntile({}) OVER (ORDER BY {})", bins, result_column(x))
                    : result_column(x)))) {
    const auto style = std::get<std::int64_t>(row[1]);
    if (clusters.empty() || clusters.back().style != style || clusters.back().group != row[2]) {
      clusters.push_back(
          {.heuristic = std::get<std::string>(row[0]), .style = style, .group = row[2]});
    }
    Cluster& cluster = clusters.back();
    cluster.x.push_back(to_real(row[3]));
    if (row[4] != Cell{}) cluster.bounds.push_back(to_real(row[4]));
    cluster.values.push_back(to_real(row[5]));
  }
  const std::map<Cell, double> bounds = bounds_of(clusters, band);
  std::string data = "x,bound,heuristic,style,value,least,greatest\r\n";
  for (const Cluster& cluster : clusters) {
    const auto bound = bounds.find(cluster.group);
    data += cluster.row(band, bound == bounds.end() ? std::nullopt : std::optional(bound->second));
  }
  Drawing drawing{.script = embedded::plots_lines_gp,
                  .data = std::move(data),
                  .settings = {{"band", spread ? "1" : "0"}, {"binned", bins > 0 ? "1" : "0"}},
                  .remark = selection.remark};
  if (ratio) drawing.settings.emplace_back("bound_name", gnuplot_text(std::string(ratio->bound)));
  if (by_itself) {
    drawing.remark += fmt::format(
        "{}{} values of {} are put together in {} groups, drawn by their median and quartiles "
        "(--bins and --band choose others)",
        drawing.remark.empty() ? "" : "; ", abscissae, x, bins);
  }
  set_log(drawing, selection.results, request, x, value);
  set_size(drawing, request, 12, 7, caption_of(request, x, 'x'), caption_of(request, value, 'y'));
  return drawing;
}

}  // namespace starport
