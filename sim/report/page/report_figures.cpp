#include "sim/report/page/report_figures.hpp"

#include "sim/files/error.hpp"
#include "sim/report/figures/figure.hpp"
#include "sim/report/result_summary.hpp"

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

std::string sql_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

/// The columns of overrides: they stand between the seed and the number of workers.
std::vector<std::string> override_columns(const ResultTable& results) {
  const auto& columns = results.columns();
  const auto seed = std::find(columns.begin(), columns.end(), "seed");
  const auto workers = std::find(columns.begin(), columns.end(), "workers");
  return seed < workers ? std::vector<std::string>(seed + 1, workers) : std::vector<std::string>{};
}

std::int64_t integer(const ResultTable& results, const std::string& what,
                     const std::string& condition) {
  return std::get<std::int64_t>(
      results.query(fmt::format("SELECT {} FROM results WHERE {}", what, condition)).at(0).at(0));
}

void plan_group(const ResultTable& results, const std::string& group, const std::string& condition,
                std::vector<Planned>& planned) {
  const std::string complete = condition + " AND status = 'ok'";
  const std::int64_t instances = integer(results, "count(DISTINCT instance)", complete);
  const auto add = [&](const char* kind, std::string caption,
                       std::map<std::string, std::string> options = {}) {
    options.emplace("where", condition);
    planned.push_back({group, kind, std::move(caption), std::move(options)});
  };
  if (instances == 0) return;
  for (const std::string& axis : override_columns(results)) {
    const std::string name = sql_name(axis);
    if (integer(results, fmt::format("count(DISTINCT {})", name), complete) < 2) continue;
    std::string words = axis;
    std::replace(words.begin(), words.end(), '_', ' ');
    add("lines", fmt::format("Makespan against {}; the steady-state bound for reference", words),
        {{"x", axis}});
  }
  if (instances <= kMostGroups) {
    add("cost", "Relative cost: the makespan over the smallest one of the instance");
    add("work", "Relative work: makespan × enrolled workers, over the smallest of the instance");
    add("bound", "Bound ratio: the makespan over that of the steady-state bound");
    add("enrolled", "Enrolled workers");
  }
  if (instances > 1)
    add("sorted", "Relative cost of all instances, from the least to the greatest");
  if (instances >= kFewestForQuartiles) {
    add("distribution", "Relative cost over the instances: quartiles and outliers");
  }
}

}  // namespace

std::vector<ReportFigure> report_figures(
    const ResultTable& results, const std::vector<std::string>& heuristics,
    const FigureList& columns, const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto experiments =
      results.query("SELECT experiment FROM results GROUP BY experiment ORDER BY min(_rowid_)");
  std::vector<Planned> planned;
  if (experiments.size() > 1) plan_group(results, "All experiments", "TRUE", planned);
  for (const Row& row : experiments) {
    const std::string name = cell_texts(row).at(0);
    plan_group(results, name, fmt::format("CAST(experiment AS TEXT) = {}", sql_text(name)),
               planned);
  }
  std::vector<ReportFigure> figures;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    progress(i + 1, planned.size());
    const FigureKind& kind = figure_kind(planned[i].kind);
    try {
      const Drawing drawing = kind.draw(kind, {.files = {results.path()},
                                               .options = planned[i].options,
                                               .title = "",
                                               .width_cm = 0,
                                               .height_cm = 0,
                                               .heuristics = heuristics,
                                               .figures = columns});
      figures.push_back({.group = planned[i].group,
                         .caption = planned[i].caption + ".",
                         .svg = render(drawing, FigureFormat::svg)});
    } catch (const InputError&) {  // these results give it nothing to draw, such as a function of x
    }
  }
  return figures;
}

}  // namespace starport
