// Chooses the plots of a report.
#include "sim/files/error.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/plots/result_figures.hpp"
#include "sim/report/result_summary.hpp"
#include "sim/results/heterogeneity.hpp"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace starport {
namespace {

/// With more instances, bars side by side are too thin to be read.
constexpr std::int64_t kMaxGroups = 24;
/// With fewer instances, quartiles mean nothing.
constexpr std::int64_t kMinForQuartiles = 5;

/// A plot that is to be drawn.
struct PlannedPlot {
  std::string experiment;
  std::string kind;     ///< name of a PlotKind
  std::string caption;  ///< without the full stop
  std::map<std::string, std::string> options;
};

/// Returns the columns of overrides, which stand between `seed` and `workers`.
std::vector<std::string> override_columns(const ResultTable& results) {
  const auto& columns = results.columns();
  const auto seed = std::ranges::find(columns, "seed");
  const auto workers = std::ranges::find(columns, "workers");
  return seed < workers ? std::vector<std::string>(seed + 1, workers) : std::vector<std::string>{};
}

/// With fewer values, a table says as much as a figure against them.
constexpr std::int64_t kMinAxisValues = 3;

/// Returns the columns of numbers that are x axes of the rows that meet an SQL condition: what the
/// sweep varies; else sizes of the instances; else measures of drawn platforms. Of columns that
/// vary together, such as r, s and t of square matrices, only the first.
std::vector<std::string> x_columns(const ResultTable& results, const std::string& condition) {
  const auto count_distinct = [&](const std::string& sql) {
    return results.count(fmt::format("count(DISTINCT {})", sql), condition);
  };
  const auto vary_together = [&](const std::string& a, const std::string& b) {
    const std::int64_t pairs = count_distinct(fmt::format("{} || ' ' || {}", a, b));
    return count_distinct(a) == pairs && count_distinct(b) == pairs;
  };
  std::vector<std::string> measures;
  for (const Figure* figure : platform_measure_figures()) measures.emplace_back(figure->key);
  for (const std::vector<std::string>& axes :
       {override_columns(results), std::vector<std::string>{"workers", "block_size", "r", "s", "t"},
        measures}) {
    std::vector<std::string> different;
    for (const std::string& axis : axes) {
      if (!results.has(axis) || count_distinct(sql_name(axis)) < kMinAxisValues ||
          results.count("count(*)", fmt::format("typeof({}) = 'text'", sql_name(axis))) > 0) {
        continue;
      }
      const bool same = std::ranges::any_of(different, [&](const std::string& earlier) {
        return vary_together(sql_name(earlier), sql_name(axis));
      });
      if (!same) different.push_back(axis);
    }
    if (!different.empty()) return different;
  }
  return {};
}

/// Returns the SQL condition that the rows of an experiment meet.
std::string rows_of(const std::string& experiment) {
  return fmt::format("experiment = '{}'", boost::replace_all_copy(experiment, "'", "''"));
}

/// Plans the plots of an experiment.
void plan_plots(const ResultTable& results, const std::string& experiment,
                std::vector<PlannedPlot>& planned) {
  const std::string condition = rows_of(experiment);
  const std::string complete = condition + " AND status = 'ok'";
  const std::int64_t instances = results.count("count(DISTINCT instance)", complete);
  const auto add = [&](const char* kind, std::string caption,
                       std::map<std::string, std::string> options = {}) {
    options.emplace("where", condition);
    planned.push_back({experiment, kind, std::move(caption), std::move(options)});
  };
  if (instances == 0) return;
  for (const std::string& axis : x_columns(results, complete)) {
    const std::int64_t values =
        results.count(fmt::format("count(DISTINCT {})", sql_name(axis)), complete);
    const std::string caption = axis_caption(platform_measure_figures(), axis);
    add("lines",
        fmt::format("Makespan against {}{}, and the lower bound (dotted)", caption,
                    values > kMaxLinePoints ? ": median, and band between the quartiles" : ""),
        {{"x", axis}});
    std::map<std::string, std::string> relative{
        {"x", axis}, {"value", "relative_cost"}, {"band", "quartiles"}};
    if (values > kMaxGroups) {
      relative["bins"] = fmt::format("{}", kDefaultBins);
    } else if (values == instances) {
      continue;  // each value has one instance: there is no median
    }
    add("lines",
        fmt::format("Relative cost against {}: median, and band between the quartiles", caption),
        relative);
  }
  if (instances <= kMaxGroups) {
    add("cost", "Relative cost: makespan over the smallest makespan on the instance");
    add("work", "Relative work: makespan × enrolled workers, over the smallest on the instance");
    add("bound", "x bound: makespan over the lower bound for schedules of its kind");
    add("enrolled", "Enrolled workers");
  }
  if (results.has("volume_gib") &&
      results.count("count(DISTINCT platform || ' ' || problem)", complete) <= kMaxGroups) {
    add("tradeoff", "Communication and makespan: mean (dot) and range (rectangle)");
  }
  if (instances > 1)
    add("sorted", "Relative cost of all instances, in increasing order for each heuristic");
  if (instances >= kMinForQuartiles) {
    add("distribution", "Relative cost over the instances: quartiles and outliers");
  }
}

}  // namespace

std::string default_question(const ResultTable& results, const std::string& experiment) {
  const std::string complete = rows_of(experiment) + " AND status = 'ok'";
  std::vector<std::string> axes = x_columns(results, complete);
  for (std::string& axis : axes) {
    axis = axis_caption(platform_measure_figures(), axis);
    axis.resize(std::min(axis.size(), axis.rfind(" (")));
  }
  if (!axes.empty())
    return fmt::format("How does the makespan depend on {}?", fmt::join(axes, " and "));
  const std::int64_t instances = results.count("count(DISTINCT instance)", complete);
  return instances < 2
             ? "Which heuristic is fastest?"
             : fmt::format("Which heuristic is fastest over these {} instances?", instances);
}

std::string describe_axes(const ResultTable& results, const std::string& experiment) {
  std::string text;
  for (const std::string& axis : x_columns(results, rows_of(experiment) + " AND status = 'ok'")) {
    const auto settings = axis_settings("x", platform_measure_figures(), results, axis);
    const std::string sentence = describe_best_along(results, experiment, axis, settings["xlabel"],
                                                     settings.value("xunit", 1.0));
    if (!sentence.empty()) text += " " + sentence;
  }
  return text;
}

std::vector<ReportPlot> report_plots(
    const ResultTable& results, const std::vector<std::pair<std::string, std::int64_t>>& heuristics,
    const FigureList& columns) {
  const auto experiments =
      results.query("SELECT experiment FROM results GROUP BY experiment ORDER BY min(_rowid_)");
  std::vector<PlannedPlot> planned;
  for (const Row& row : experiments) {
    plan_plots(results, to_text(row.at(0)), planned);
  }
  std::vector<ReportPlot> plots;
  for (const PlannedPlot& plan : planned) {
    try {
      Drawing drawing = plot_kind(plan.kind).draw({.files = {results.path()},
                                                   .table = &results,
                                                   .options = plan.options,
                                                   .heuristics = heuristics,
                                                   .figures = columns});
      // The page finds the rows of a point by these.
      drawing.settings["experiment"] = plan.experiment;
      if (plan.options.contains("x")) drawing.settings["x_column"] = plan.options.at("x");
      plots.push_back({.experiment = plan.experiment,
                       .caption = plan.caption + ".",
                       .drawing = std::move(drawing)});
    } catch (const NoRoomError& error) {
      throw error.in_file(results.path());
    } catch (const InputError&) {
      // The results have no data for this plot, such as one problem for each value of an axis.
    }
  }
  return plots;
}

}  // namespace starport
