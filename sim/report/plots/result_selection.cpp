#include "sim/report/plots/result_selection.hpp"

#include "sim/files/error.hpp"
#include "sim/report/plots/figure_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {
namespace {

/// Heuristics that `starport list` does not name have styles after those that it names. Returns the
/// length of the longest name.
std::size_t add_styles(ResultTable& results, const std::vector<std::string>& known) {
  std::vector<Row> styles;
  std::size_t longest = 0;
  auto others = static_cast<std::int64_t>(known.size());
  for (const Row& row : results.query("SELECT cast(heuristic AS text), max(status = 'ok') FROM "
                                      "results GROUP BY heuristic ORDER BY min(_rowid_)")) {
    const auto& name = std::get<std::string>(row[0]);
    const auto place = std::ranges::find(known, name);
    const std::int64_t style = place != known.end() ? place - known.begin() + 1 : ++others;
    if (row[1] != Cell{std::int64_t{1}}) continue;
    styles.push_back({name, style, gnuplot_field(name)});
    longest = std::max(longest, characters(name));
  }
  results.add_table("styles", {"heuristic", "style", "shown"}, styles);
  return longest;
}

}  // namespace

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
  throw InputError("", "a value of " + column, "none in the rows selected").in_file(results.path());
}

ResultSelection select(const PlotRequest& request, const std::vector<std::string>& values) {
  ResultSelection selection{
      .results = request.table ? request.table->copy() : ResultTable::read_csv(request.files),
      .longest_name = 0};
  ResultTable& results = selection.results;
  results.require({"heuristic", "status"});
  for (const std::string& column : values) {
    if (request.find("value") || results.has(column)) continue;
    throw InputError("", "results with " + column, "none, but those of another model")
        .in_file(results.path());
  }
  const std::int64_t all = results.count("count(*)");
  if (const auto condition = request.find("where")) results.keep(*condition, "--where");
  if (const auto series = request.find("series")) results.name_rows_by(*series);
  const std::int64_t selected = results.count("count(*)");
  const std::string whole = fmt::format(
      "{} row{}{}", all, all == 1 ? "" : "s",
      request.files.size() > 1 ? fmt::format(" in {} files", request.files.size()) : "");
  if (selected == 0 && all > 0) {
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
    throw InputError("", "a heuristic in each row", "a row without").in_file(results.path());
  }
  for (const std::string& column : values) require_values(results, column, "--value");
  if (good < selected) {
    selection.remark =
        fmt::format("{} of {} rows left out: their status is not ok", selected - good, selected);
  }
  selection.longest_name = add_styles(results, request.heuristics);
  return selection;
}

}  // namespace starport
