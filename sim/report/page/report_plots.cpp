#include "sim/files/error.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/report/plots/line_plot.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/result_summary.hpp"
#include "sim/results/heterogeneity.hpp"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace starport {
namespace {

/// Bars of more instances than that, side by side, are too thin to be read.
constexpr std::int64_t kMostGroups = 24;
/// Fewer instances than that have no distribution.
constexpr std::int64_t kFewestForQuartiles = 5;

struct Planned {
  std::string group;
  std::string kind;
  std::string caption;
  std::map<std::string, std::string> options;
};

/// The columns of overrides: they stand between the seed and the number of workers.
std::vector<std::string> override_columns(const ResultTable& results) {
  const auto& columns = results.columns();
  const auto seed = std::ranges::find(columns, "seed");
  const auto workers = std::ranges::find(columns, "workers");
  return seed < workers ? std::vector<std::string>(seed + 1, workers) : std::vector<std::string>{};
}

/// What the instances may be drawn against: what the sweep varies, and measures of platforms.
std::vector<std::string> axes_of(const ResultTable& results) {
  std::vector<std::string> axes = override_columns(results);
  for (const char* column : {"workers", "block_size", "r", "s", "t"}) axes.emplace_back(column);
  for (const Figure* figure : measure_figures()) axes.emplace_back(figure->key);
  std::erase_if(axes, [&](const std::string& column) { return !results.has(column); });
  return axes;
}

void plan_group(const ResultTable& results, const std::string& group, const std::string& condition,
                std::vector<Planned>& planned) {
  const std::string complete = condition + " AND status = 'ok'";
  const std::int64_t instances = results.count("count(DISTINCT instance)", complete);
  const auto add = [&](const char* kind, std::string caption,
                       std::map<std::string, std::string> options = {}) {
    options.emplace("where", condition);
    planned.push_back({group, kind, std::move(caption), std::move(options)});
  };
  if (instances == 0) return;
  for (const std::string& axis : axes_of(results)) {
    const std::int64_t values =
        results.count(fmt::format("count(DISTINCT {})", sql_name(axis)), complete);
    if (values < 2) continue;
    const std::string caption = axis_caption(measure_figures(), axis);
    add("lines",
        fmt::format(
            "Makespan against {}{}, and the tightest bound that holds (dashed)", caption,
            values > kMostLinePoints ? ": the median, and the band between the quartiles" : ""),
        {{"x", axis}});
    std::map<std::string, std::string> relative{
        {"x", axis}, {"value", "relative_cost"}, {"band", "quartiles"}};
    if (values > kMostGroups) {
      relative["bins"] = fmt::format("{}", kLineGroups);
    } else if (values == instances) {
      continue;  // no two of them are at one place
    }
    add("lines",
        fmt::format("Relative cost against {}: the median, and the band between the quartiles",
                    caption),
        relative);
  }
  if (instances <= kMostGroups) {
    add("cost", "Relative cost: the makespan over the smallest one of the instance");
    add("work", "Relative work: makespan × enrolled workers, over the smallest of the instance");
    add("bound", "x bound: the makespan over the tightest bound that holds for the schedule");
    add("enrolled", "Enrolled workers");
  }
  if (results.has("volume_gib") &&
      results.count("count(DISTINCT platform || ' ' || problem)", complete) <= kMostGroups) {
    add("tradeoff", "Communication and makespan: the mean, and from the least to the greatest");
  }
  if (instances > 1)
    add("sorted", "Relative cost of all instances, from the least to the greatest");
  if (instances >= kFewestForQuartiles) {
    add("distribution", "Relative cost over the instances: quartiles and outliers");
  }
}

}  // namespace

std::vector<ReportPlot> report_plots(
    const ResultTable& results, const std::vector<std::string>& heuristics,
    const FigureList& columns, const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto experiments =
      results.query("SELECT experiment FROM results GROUP BY experiment ORDER BY min(_rowid_)");
  std::vector<Planned> planned;
  if (experiments.size() > 1) plan_group(results, "All experiments", "TRUE", planned);
  for (const Row& row : experiments) {
    const std::string name = to_text(row.at(0));
    plan_group(
        results, name,
        fmt::format("CAST(experiment AS TEXT) = '{}'", boost::replace_all_copy(name, "'", "''")),
        planned);
  }
  std::vector<ReportPlot> plots;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    progress(i + 1, planned.size());
    const PlotKind& kind = plot_kind(planned[i].kind);
    try {
      const Drawing drawing = kind.draw({.files = {results.path()},
                                         .table = &results,
                                         .options = planned[i].options,
                                         .heuristics = heuristics,
                                         .figures = columns});
      plots.push_back({.group = planned[i].group,
                       .caption = planned[i].caption + ".",
                       .svg = render(drawing, PlotFormat::svg)});
    } catch (const InputError&) {  // these results give it nothing to draw, such as a function of x
    }
  }
  return plots;
}

}  // namespace starport
