#include "sim/report/result_summary.hpp"

#include "sim/files/text.hpp"
#include "sim/results/figure.hpp"
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

/// Tables of SQL for an experiment ?1 (NULL: all): `compared`, the heuristics that completed at
/// least half as many instances as any other one, and `common`, the instances that all of these
/// completed.
constexpr const char* kCommon = R"sql(
  complete AS (
    SELECT instance, heuristic FROM results
    WHERE status = 'ok' AND relative_cost IS NOT NULL AND (?1 IS NULL OR experiment = ?1)),
  counts AS (SELECT heuristic, count(DISTINCT instance) AS runs FROM complete GROUP BY heuristic),
  compared AS (SELECT heuristic FROM counts WHERE 2 * runs >= (SELECT max(runs) FROM counts)),
  common AS (
    SELECT instance FROM complete WHERE heuristic IN compared GROUP BY instance
    HAVING count(DISTINCT heuristic) = (SELECT count(*) FROM compared)))sql";

/// Returns the SQL expression and the heading of each column. A figure that relates a run to others
/// or to a bound has its mean over the common instances.
std::vector<std::pair<std::string, std::string>> summary_columns(const ResultTable& results,
                                                                 const FigureList& figures) {
  const auto aggregate = [](const char* function, const char* word, const Figure& figure) {
    return std::pair(fmt::format("{}({}) FILTER (WHERE _shared)", function, figure.key),
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
    const bool mean = figure->compute != nullptr && figure->form != Form::yes_no;
    if (!mean || figure->key == kRelativeCost.key) continue;
    if (results.has(std::string(figure->key))) columns.push_back(aggregate("avg", "mean", *figure));
  }
  columns.emplace_back(
      "coalesce(sum(coalesce(relative_cost <= 1 + 1e-9, 0)) FILTER (WHERE _shared), 0)",
      kTimesBest);
  columns.push_back(aggregate("avg", "mean", kEnrolledWorkers));
  return columns;
}

/// The query of a summary, after kCommon: {} is the list of columns. The median is the mean of the
/// one or two values in the middle.
constexpr const char* kSummary = R"sql(,
    chosen AS (
      SELECT _rowid_ AS _rowid_,
        heuristic IN compared AND instance IN common AND status = 'ok' AS _shared,
        * -- last, so that columns of these names in the file are hidden
      FROM results WHERE ?1 IS NULL OR experiment = ?1),
    ranked AS (
      SELECT heuristic, relative_cost,
        row_number() OVER (PARTITION BY heuristic ORDER BY relative_cost) AS rank,
        count(*) OVER (PARTITION BY heuristic) AS runs
      FROM chosen WHERE _shared),
    medians AS (
      SELECT heuristic, avg(relative_cost) AS median_cost
      FROM ranked WHERE rank IN ((runs + 1) / 2, (runs + 2) / 2) GROUP BY heuristic),
    means AS (SELECT heuristic, avg(relative_cost) AS mean FROM ranked GROUP BY heuristic)
  SELECT {}
  FROM chosen LEFT JOIN medians USING (heuristic) LEFT JOIN means USING (heuristic)
  GROUP BY heuristic
  ORDER BY means.mean IS NULL, means.mean, sum(status = 'ok') = 0, min(chosen._rowid_)
)sql";

/// Returns the index of a column, which must exist.
std::size_t index_of(const SummaryTable& table, const std::string& column) {
  const auto found = std::ranges::find(table.columns, column);
  return static_cast<std::size_t>(found - table.columns.begin());
}

/// Returns the 95 % interval of the mean relative cost of each heuristic, from the means of the
/// repetitions, which are independent. Leaves out heuristics whose repetitions do not have equally
/// many complete runs.
std::map<std::string, Interval> cost_intervals(const ResultTable& results, const Cell& experiment) {
  const std::string sql =
      "WITH " + std::string(kCommon) +
      "SELECT heuristic, avg(relative_cost), count(*) FROM results "
      "WHERE status = 'ok' AND relative_cost IS NOT NULL AND (?1 IS NULL OR experiment = ?1) "
      "AND heuristic IN compared AND instance IN common "
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

/// Inserts the column "95% interval" after the mean, if any heuristic has an interval.
void add_intervals(const ResultTable& results, const Cell& experiment, SummaryTable& table) {
  if (!results.has("repetition")) return;
  const auto intervals = cost_intervals(results, experiment);
  if (intervals.empty()) return;
  const auto behind_mean = static_cast<std::ptrdiff_t>(index_of(table, kMeanCost)) + 1;
  table.columns.insert(table.columns.begin() + behind_mean, "95% interval");
  for (auto& row : table.rows) {
    const auto found = intervals.find(row.front());
    row.insert(row.begin() + behind_mean,
               found == intervals.end()
                   ? ""
                   : fmt::format("{:.3f} .. {:.3f}", found->second.low, found->second.high));
  }
}

/// Summarises the runs of an experiment, or all if `experiment` is NULL.
SummaryTable summarise_experiment(const ResultTable& results, const FigureList& figures,
                                  std::string name, const Cell& experiment) {
  SummaryTable table{.name = std::move(name)};
  std::vector<std::string> expressions;
  for (const auto& [sql, title] : summary_columns(results, figures)) {
    expressions.push_back(sql);
    table.columns.push_back(title);
  }
  const std::string sql = "WITH " + std::string(kCommon) +
                          fmt::format(fmt::runtime(kSummary), fmt::join(expressions, ", "));
  for (const Row& row : results.query(sql, {experiment})) {
    table.rows.push_back(to_texts(row));
  }
  add_intervals(results, experiment, table);
  return table;
}

/// Formats a relative cost with three digits behind the point, without zeros at its end.
std::string format_cost(const Cell& cost) { return fmt::format("{:.4g}", to_real(cost)); }

/// Says which heuristic has the smallest mean relative cost, on the common instances of an
/// experiment, and names at most six that are not compared; "" if no run has a relative cost.
std::string describe_best(const ResultTable& results, const Cell& experiment) {
  const std::string with = "WITH " + std::string(kCommon);
  const auto means = results.query(
      with +
          "SELECT heuristic, avg(relative_cost) AS mean, count(DISTINCT instance), "
          "count(DISTINCT CASE WHEN relative_cost <= 1 + 1e-9 THEN instance END) "
          "FROM results WHERE status = 'ok' AND relative_cost IS NOT NULL AND "
          "(?1 IS NULL OR experiment = ?1) AND heuristic IN compared AND instance IN common "
          "GROUP BY heuristic ORDER BY mean, min(_rowid_)",
      {experiment});
  if (means.empty()) return "";
  std::vector<std::string> others;
  for (const Row& row : results.query(
           with +
               "SELECT heuristic, count(DISTINCT CASE WHEN status = 'ok' THEN instance END) "
               "FROM results WHERE (?1 IS NULL OR experiment = ?1) AND heuristic NOT IN compared "
               "GROUP BY heuristic ORDER BY min(_rowid_)",
           {experiment})) {
    others.push_back(fmt::format("{} ({})", to_text(row[0]), to_text(row[1])));
  }
  const Row& best = means.front();
  const std::string instances = format_count(std::get<std::int64_t>(best[2]), "instance");
  std::string text =
      means.size() == 1
          ? fmt::format("Only {} completed enough instances to be compared, {}.", to_text(best[0]),
                        instances)
          : fmt::format(
                "{} has the smallest mean relative cost, {}, on the {} that {} heuristics "
                "completed, and is fastest on {}; {} {}.",
                to_text(best[0]), format_cost(best[1]), instances, means.size(), to_text(best[3]),
                to_text(means[1][0]),
                format_cost(means[1][1]) == format_cost(best[1])
                    ? "has the same"
                    : "follows with " + format_cost(means[1][1]));
  if (!others.empty()) {
    constexpr std::size_t most = 5;
    const std::size_t more = others.size() > most + 1 ? others.size() - most : 0;
    others.resize(others.size() - more);
    text +=
        fmt::format(" Not compared, with the instances completed: {}{}.", fmt::join(others, ", "),
                    more > 0 ? fmt::format(" and {} others", more) : "");
  }
  return text;
}

}  // namespace

const std::vector<std::string>& report_columns() {
  static const std::vector<std::string> columns{
      "instance", "experiment", "platform",         "problem",
      "seed",     "workers",    "heuristic",        "status",
      "error",    "makespan_s", "enrolled_workers", "relative_cost"};
  return columns;
}

std::vector<SummaryTable> summarise(const ResultTable& results, const FigureList& figures) {
  std::vector<SummaryTable> tables{summarise_experiment(results, figures, "all", std::monostate{})};
  const auto experiments =
      results.query("SELECT experiment FROM results GROUP BY experiment ORDER BY min(_rowid_)");
  if (experiments.size() < 2) return tables;
  for (const Row& row : experiments) {
    tables.push_back(summarise_experiment(results, figures, to_text(row.at(0)), row.at(0)));
  }
  return tables;
}

std::string summary_text(const ResultTable& results) {
  const std::int64_t runs = results.count("count(*)");
  const std::int64_t complete = results.count("count(*)", "status = 'ok'");
  const std::int64_t failed = results.count("count(*)", "status = 'error'");
  std::string text = fmt::format(
      "{} and {}: {}, ", format_count(results.count("count(DISTINCT instance)"), "instance"),
      format_count(results.count("count(DISTINCT heuristic)"), "heuristic"),
      format_count(runs, "run"));
  text += failed == 0 ? "none of which failed" : fmt::format("of which {} failed", failed);
  if (const std::int64_t inapplicable = runs - complete - failed; inapplicable > 0) {
    text += fmt::format("; in {} the heuristic does not apply", inapplicable);
  }
  if (results.has("noise")) {
    const std::int64_t noisy = results.count("count(noise)");
    if (noisy > 0) text += fmt::format("; {} under noise", format_count(noisy, "run"));
  }
  const std::string found = describe_best(results, std::monostate{});
  return text + "." + (found.empty() ? "" : " " + found);
}

std::vector<Finding> findings(const ResultTable& results) {
  std::vector<Finding> found;
  for (const Row& row :
       results.query("SELECT experiment FROM results GROUP BY experiment ORDER BY min(_rowid_)")) {
    found.push_back({to_text(row.at(0)), describe_best(results, row.at(0))});
  }
  return found;
}

std::string describe_best_along(const ResultTable& results, const std::string& experiment,
                                const std::string& column, const std::string& axis_label,
                                double axis_unit) {
  const auto means = results.query(
      "WITH " + std::string(kCommon) +
          fmt::format(
              ", chosen AS (SELECT _rowid_ AS row, {0} AS x, heuristic, relative_cost, "
              "avg(relative_cost) OVER (PARTITION BY heuristic) AS overall FROM results "
              "WHERE status = 'ok' AND relative_cost IS NOT NULL AND experiment = ?1 AND "
              "{0} IS NOT NULL AND heuristic IN compared AND instance IN common) "
              "SELECT x, heuristic, avg(relative_cost) AS mean FROM chosen GROUP BY x, heuristic "
              "ORDER BY x, round(mean, 9), overall, min(row)",
              sql_name(column)),
      {experiment});
  // Ranges of values at which a heuristic is the best; of equal ones, the best at the value before.
  struct Range {
    std::string heuristic;
    double first;
    double last;
  };
  std::vector<Range> ranges;
  for (std::size_t i = 0, next = 0; i < means.size(); i = next) {
    const double x = to_real(means[i][0]) / axis_unit;
    bool same = false;
    for (next = i; next < means.size() && means[next][0] == means[i][0]; ++next) {
      same |= !ranges.empty() && to_text(means[next][1]) == ranges.back().heuristic &&
              to_real(means[next][2]) <= to_real(means[i][2]) * (1 + 1e-9);
    }
    if (same) {
      ranges.back().last = x;
    } else {
      ranges.push_back({to_text(means[i][1]), x, x});
    }
  }
  constexpr std::size_t most = 4;
  if (ranges.empty() || ranges.size() > most || ranges.front().first == ranges.back().last)
    return "";
  if (ranges.size() == 1)
    return fmt::format("{} is best at every {}.", ranges[0].heuristic,
                       axis_label.substr(0, axis_label.rfind(" (")));
  std::vector<std::string> parts;
  for (const auto& [heuristic, first, last] : ranges) {
    parts.push_back(heuristic +
                    (first == ranges.front().first ? fmt::format(" up to {:.6g}", last)
                     : last == ranges.back().last  ? fmt::format(" from {:.6g} on", first)
                     : first == last               ? fmt::format(" at {:.6g}", first)
                                     : fmt::format(" from {:.6g} to {:.6g}", first, last)));
  }
  return fmt::format("Best by {}: {}.", axis_label, fmt::join(parts, ", "));
}

}  // namespace starport
