#include "sim/report/result_summary.hpp"

#include "sim/results/common_figures.hpp"
#include "sim/results/statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

namespace starport {
namespace {

const std::string kMeanCost = fmt::format("mean {}", kRelativeCost.label);
constexpr const char* kTimesBest = "times best";
/// SQL and title of each. What relates a run to others or to a bound has its mean.
std::vector<std::pair<std::string, std::string>> summary_columns(const ResultTable& results,
                                                                 const FigureList& figures) {
  const auto aggregate = [](const char* function, const char* word, const Figure& figure) {
    return std::pair(fmt::format("{}({})", function, figure.key),
                     fmt::format("{} {}", word, figure.label));
  };
  std::vector<std::pair<std::string, std::string>> columns{
      {"heuristic", "heuristic"},
      {"sum(status = 'ok')", "complete"},
      {"sum(status = 'error')", "failed"},
      {"sum(status = 'not applicable')", "not applicable"},
      aggregate("avg", "mean", kRelativeCost),
      {"medians.median_cost", fmt::format("median {}", kRelativeCost.label)},
      aggregate("max", "worst", kRelativeCost)};
  for (const Figure* figure : figures) {
    const bool mean = figure->relate != nullptr && figure->form != Form::yes_no;
    if (!mean || figure->key == kRelativeCost.key) continue;
    if (results.has(std::string(figure->key))) columns.push_back(aggregate("avg", "mean", *figure));
  }
  columns.emplace_back("sum(coalesce(relative_cost <= 1 + 1e-9, 0))", kTimesBest);
  columns.push_back(aggregate("avg", "mean", kEnrolledWorkers));
  return columns;
}

// ?1 is the experiment, NULL for all. The median is the mean of the one or two values in the
// middle.
constexpr const char* kSummary = R"sql(
  WITH chosen AS (SELECT _rowid_ AS _rowid_, * FROM results WHERE ?1 IS NULL OR experiment = ?1),
    ranked AS (
      SELECT heuristic, relative_cost,
        row_number() OVER (PARTITION BY heuristic ORDER BY relative_cost) AS rank,
        count(*) OVER (PARTITION BY heuristic) AS runs
      FROM chosen WHERE status = 'ok'),
    medians AS (
      SELECT heuristic, avg(relative_cost) AS median_cost
      FROM ranked WHERE rank IN ((runs + 1) / 2, (runs + 2) / 2) GROUP BY heuristic)
  SELECT {}
  FROM chosen LEFT JOIN medians USING (heuristic)
  GROUP BY heuristic
  ORDER BY avg(relative_cost) IS NULL, avg(relative_cost), min(chosen._rowid_)
)sql";

/// Where each heuristic's cell of that name is.
std::size_t index_of(const SummaryGroup& group, const std::string& column) {
  const auto found = std::ranges::find(group.columns, column);
  return static_cast<std::size_t>(found - group.columns.begin());
}

/// Of each heuristic that has as many complete runs in every repetition: the 95% interval of its
/// mean relative cost, from the means of the repetitions, which are independent.
std::map<std::string, Interval> cost_intervals(const ResultTable& results, const Cell& experiment) {
  constexpr const char* sql =
      "SELECT heuristic, avg(relative_cost), count(*) FROM results "
      "WHERE status = 'ok' AND (?1 IS NULL OR experiment = ?1) "
      "GROUP BY heuristic, repetition ORDER BY heuristic, repetition";
  struct Means {
    std::vector<double> of_repetitions;
    std::set<std::int64_t> runs;
  };
  std::map<std::string, Means> heuristics;
  for (const Row& row : results.query(sql, {experiment})) {
    Means& means = heuristics[std::get<std::string>(row.at(0))];
    means.of_repetitions.push_back(std::get<double>(row.at(1)));
    means.runs.insert(std::get<std::int64_t>(row.at(2)));
  }
  std::map<std::string, Interval> intervals;
  for (const auto& [heuristic, means] : heuristics) {
    if (means.of_repetitions.size() > 1 && means.runs.size() == 1) {
      intervals[heuristic] = interval_of(means.of_repetitions);
    }
  }
  return intervals;
}

void add_intervals(const ResultTable& results, const Cell& experiment, SummaryGroup& group) {
  if (!results.has("repetition")) return;
  const auto intervals = cost_intervals(results, experiment);
  if (intervals.empty()) return;
  const auto behind_mean = static_cast<std::ptrdiff_t>(index_of(group, kMeanCost)) + 1;
  group.columns.insert(group.columns.begin() + behind_mean, "95% interval");
  for (auto& row : group.rows) {
    const auto found = intervals.find(row.front());
    row.insert(row.begin() + behind_mean,
               found == intervals.end()
                   ? ""
                   : fmt::format("{:.3f} .. {:.3f}", found->second.low, found->second.high));
  }
}

SummaryGroup summary_of(const ResultTable& results, const FigureList& figures, std::string name,
                        const Cell& experiment) {
  SummaryGroup group{.name = std::move(name)};
  std::vector<std::string> expressions;
  for (const auto& [sql, title] : summary_columns(results, figures)) {
    expressions.push_back(sql);
    group.columns.push_back(title);
  }
  const std::string sql = fmt::format(fmt::runtime(kSummary), fmt::join(expressions, ", "));
  for (const Row& row : results.query(sql, {experiment})) {
    group.rows.push_back(to_texts(row));
  }
  add_intervals(results, experiment, group);
  return group;
}

std::string counted(std::int64_t number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace

const std::vector<std::string>& report_columns() {
  static const std::vector<std::string> columns{
      "instance", "experiment", "platform",         "problem",
      "seed",     "workers",    "heuristic",        "status",
      "error",    "makespan_s", "enrolled_workers", "relative_cost"};
  return columns;
}

std::vector<SummaryGroup> summarise(const ResultTable& results, const FigureList& figures) {
  std::vector<SummaryGroup> groups{summary_of(results, figures, "all", std::monostate{})};
  const auto experiments =
      results.query("SELECT experiment FROM results GROUP BY experiment ORDER BY min(_rowid_)");
  if (experiments.size() < 2) return groups;
  for (const Row& row : experiments) {
    groups.push_back(summary_of(results, figures, to_text(row.at(0)), row.at(0)));
  }
  return groups;
}

std::string summary_text(const ResultTable& results) {
  const std::int64_t runs = results.count("count(*)");
  const std::int64_t complete = results.count("count(*)", "status = 'ok'");
  const std::int64_t failed = results.count("count(*)", "status = 'error'");
  std::string text = fmt::format(
      "{} and {}: {}, ", counted(results.count("count(DISTINCT instance)"), "instance"),
      counted(results.count("count(DISTINCT heuristic)"), "heuristic"), counted(runs, "run"));
  text += failed == 0 ? "none of which failed" : fmt::format("of which {} failed", failed);
  if (const std::int64_t others = runs - complete - failed; others > 0) {
    text += fmt::format("; in {} the heuristic does not apply", others);
  }
  const SummaryGroup all = summary_of(results, {}, "all", std::monostate{});
  const std::size_t mean_cost = index_of(all, kMeanCost);
  const std::size_t best = index_of(all, kTimesBest);
  if (results.has("noise")) {
    const std::int64_t noisy = results.count("count(noise)");
    if (noisy > 0) text += fmt::format("; {} under noise", counted(noisy, "run"));
  }
  if (complete == 0) return text + ".";
  const auto& cheapest = all.rows.front();
  const auto& often = *std::ranges::max_element(
      all.rows, {}, [&](const auto& row) { return std::stoll(row[best]); });
  const bool same = cheapest.front() == often.front();
  return text + fmt::format(
                    ". {} has the smallest mean relative cost, {:.3f}{} fastest most often, on {}.",
                    cheapest.front(), std::stod(cheapest[mean_cost]),
                    same ? ", and is" : "; " + often.front() + " is",
                    counted(std::stoll(often[best]), "instance"));
}

}  // namespace starport
