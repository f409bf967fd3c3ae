#include "sim/report/plots/result_figures.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace starport {
namespace {

/// Number of colours; plots/figure.py has those of heuristics by their numbers modulo this one.
constexpr std::int64_t kColours = 16;

/// Adds the table `styles` of the heuristics with a complete run.
void add_styles(ResultTable& results,
                const std::vector<std::pair<std::string, std::int64_t>>& listed) {
  std::vector<std::string> names;
  for (const Row& row :
       results.query("SELECT cast(heuristic AS text) FROM results GROUP BY "
                     "heuristic HAVING max(status = 'ok') ORDER BY min(_rowid_)")) {
    names.push_back(std::get<std::string>(row[0]));
  }
  std::vector<Row> styles;
  for (const auto& [name, style] : assign_styles(names, listed)) styles.push_back({name, style});
  results.add_table("styles", {"heuristic", "style"}, styles);
}

}  // namespace

std::vector<std::pair<std::string, std::int64_t>> assign_styles(
    const std::vector<std::string>& names,
    const std::vector<std::pair<std::string, std::int64_t>>& listed) {
  std::set<std::int64_t> taken;
  std::vector<std::pair<std::string, std::int64_t>> styles;
  std::vector<std::string> unlisted;
  std::int64_t next = 1;
  for (const auto& [name, style] : listed) next = std::max(next, style + 1);
  for (const std::string& name : names) {
    const auto entry = std::ranges::find(listed, name, [](const auto& pair) { return pair.first; });
    if (entry != listed.end() && taken.insert(entry->second % kColours).second) {
      styles.emplace_back(name, entry->second);
    } else {
      unlisted.push_back(name);
    }
  }
  for (const std::string& name : unlisted) {
    while (std::ssize(taken) < kColours && !taken.insert(next % kColours).second) ++next;
    styles.emplace_back(name, next++);
  }
  return styles;
}

void require_numbers(const ResultTable& results, const std::string& column, const char* option) {
  results.require({column});
  const auto texts = results.query(
      fmt::format("SELECT {0} FROM results WHERE typeof({0}) = 'text' ORDER BY _rowid_ LIMIT 1",
                  sql_name(column)));
  if (texts.empty()) return;
  throw InputError(option, "a column of numbers",
                   fmt::format("{}, which holds '{}'", column, std::get<std::string>(texts[0][0])));
}

bool has_values(const ResultTable& results, const std::string& column) {
  return results.has(column) &&
         results.count(fmt::format("count({})", sql_name(column)), "status = 'ok'") > 0;
}

void require_values(const ResultTable& results, const std::string& column, const char* option) {
  require_numbers(results, column, option);
  if (has_values(results, column)) return;
  throw InputError("", "a value of " + column, "none in the selected rows").in_file(results.path());
}

ResultSelection select_rows(const PlotRequest& request, const std::vector<std::string>& columns) {
  ResultSelection selection{.results = request.table ? request.table->copy()
                                                     : ResultTable::read_csv(request.files)};
  ResultTable& results = selection.results;
  results.require({"heuristic", "status"});
  for (const std::string& column : columns) {
    if (request.find("value") || results.has(column)) continue;
    throw InputError("", "results with a column " + column, "results of a model without it")
        .in_file(results.path());
  }
  const std::int64_t total = results.count("count(*)");
  if (const auto condition = request.find("where")) results.filter(*condition, "--where");
  if (const auto series = request.find("series")) results.name_rows_by(*series);
  const std::int64_t selected = results.count("count(*)");
  const std::string whole = fmt::format(
      "{} row{}{}", total, total == 1 ? "" : "s",
      request.files.size() > 1 ? fmt::format(" in {} files", request.files.size()) : "");
  if (selected == 0 && total > 0) {
    throw InputError("--where", "a condition that some rows meet", "none of " + whole)
        .in_file(results.path());
  }
  const std::int64_t good = results.count("count(*)", "status = 'ok'");
  if (good == 0) {
    throw InputError("", "rows whose status is ok",
                     fmt::format("none of {} selected, of {}", selected, whole))
        .in_file(results.path());
  }
  if (results.count("count(*)", "heuristic IS NULL") > 0) {
    throw InputError("", "a heuristic in each row", "a row without one").in_file(results.path());
  }
  for (const std::string& column : columns) require_values(results, column, "--value");
  if (good < selected) {
    selection.remark =
        fmt::format("{} of {} rows left out: their status is not ok", selected - good, selected);
  }
  add_styles(results, request.heuristics);
  return selection;
}

std::string checked_log_axes(const ResultTable& results, const PlotRequest& request,
                             const std::string& x, const std::string& y) {
  const std::string axes = request.find("log").value_or("");
  if (axes.empty()) return axes;
  if (axes != "y" && (x.empty() || (axes != "x" && axes != "xy"))) {
    throw InputError("--log", x.empty() ? "y" : "x, y or xy", "'" + axes + "'");
  }
  for (const std::string& column : {axes == "y" ? "" : x, axes == "x" ? "" : y}) {
    if (column.empty()) continue;
    const auto nonpositive = results.query(fmt::format(
        "SELECT cast({0} AS text) FROM results WHERE status = 'ok' AND {0} <= 0 LIMIT 1",
        sql_name(column)));
    if (nonpositive.empty()) continue;
    throw InputError("--log", fmt::format("positive values of {}", column),
                     std::get<std::string>(nonpositive[0][0]));
  }
  return axes;
}

std::string qualified_column(const std::string& name) { return "results." + sql_name(name); }

}  // namespace starport
