#include "sim/report/result_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace starport {
namespace {

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
  SELECT heuristic AS "heuristic",
    sum(status = 'ok') AS "complete",
    sum(status = 'error') AS "failed",
    sum(status = 'not applicable') AS "not applicable",
    avg(relative_cost) AS "mean rel. cost",
    median_cost AS "median rel. cost",
    max(relative_cost) AS "worst rel. cost",
    avg(relative_work) AS "mean rel. work",
    avg(bound_ratio) AS "mean bound ratio",
    sum(coalesce(relative_cost <= 1 + 1e-9, 0)) AS "times best",
    avg(enrolled_workers) AS "mean enrolled"
  FROM chosen LEFT JOIN medians USING (heuristic)
  GROUP BY heuristic
  ORDER BY avg(relative_cost) IS NULL, avg(relative_cost), min(chosen._rowid_)
)sql";

std::string cell_text(const Cell& cell) {
  struct {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& text) const { return text; }
  } const as_text;
  return std::visit(as_text, cell);
}

SummaryGroup summary_of(const ResultTable& results, std::string name, const Cell& experiment) {
  SummaryGroup group{
      .name = std::move(name),
      .columns = {"heuristic", "complete", "failed", "not applicable", "mean rel. cost",
                  "median rel. cost", "worst rel. cost", "mean rel. work", "mean bound ratio",
                  "times best", "mean enrolled"},
      .rows = {}};
  for (const Row& row : results.query(kSummary, {experiment})) {
    group.rows.push_back(cell_texts(row));
  }
  return group;
}

std::int64_t count(const ResultTable& results, const char* what) {
  return std::get<std::int64_t>(
      results.query(fmt::format("SELECT {} FROM results", what)).at(0).at(0));
}

std::string counted(std::int64_t number, const char* noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace

const std::vector<std::string>& report_columns() {
  static const std::vector<std::string> columns{
      "instance",         "experiment",    "platform",      "problem",     "seed",
      "workers",          "heuristic",     "status",        "error",       "makespan_s",
      "enrolled_workers", "relative_cost", "relative_work", "bound_ratio", "bound_makespan_s"};
  return columns;
}

std::vector<std::string> cell_texts(const Row& row) {
  std::vector<std::string> texts;
  for (const Cell& cell : row) texts.push_back(cell_text(cell));
  return texts;
}

std::vector<SummaryGroup> summarise(const ResultTable& results) {
  std::vector<SummaryGroup> groups{summary_of(results, "all", std::monostate{})};
  const auto experiments =
      results.query("SELECT experiment FROM results GROUP BY experiment ORDER BY min(_rowid_)");
  if (experiments.size() < 2) return groups;
  for (const Row& row : experiments) {
    groups.push_back(summary_of(results, cell_text(row.at(0)), row.at(0)));
  }
  return groups;
}

std::string summary_text(const ResultTable& results) {
  const std::int64_t runs = results.row_count();
  const std::int64_t complete = count(results, "coalesce(sum(status = 'ok'), 0)");
  const std::int64_t failed = count(results, "coalesce(sum(status = 'error'), 0)");
  std::string text = fmt::format(
      "{} and {}: {}, ", counted(count(results, "count(DISTINCT instance)"), "instance"),
      counted(count(results, "count(DISTINCT heuristic)"), "heuristic"), counted(runs, "run"));
  text += failed == 0 ? "none of which failed" : fmt::format("of which {} failed", failed);
  if (const std::int64_t others = runs - complete - failed; others > 0) {
    text += fmt::format("; in {} the heuristic does not apply", others);
  }
  const SummaryGroup all = summary_of(results, "all", std::monostate{});
  constexpr std::size_t heuristic = 0;
  constexpr std::size_t mean_cost = 4;
  constexpr std::size_t best = 9;
  if (complete == 0) return text + ".";
  const auto& cheapest = all.rows.front();
  const auto& often = *std::max_element(
      all.rows.begin(), all.rows.end(),
      [](const auto& a, const auto& b) { return std::stoll(a[best]) < std::stoll(b[best]); });
  const bool same = cheapest[heuristic] == often[heuristic];
  return text + fmt::format(
                    ". {} has the smallest mean relative cost, {:.3f}{} fastest most often, on {}.",
                    cheapest[heuristic], std::stod(cheapest[mean_cost]),
                    same ? ", and is" : "; " + often[heuristic] + " is",
                    counted(std::stoll(often[best]), "instance"));
}

}  // namespace starport
