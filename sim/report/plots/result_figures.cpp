#include "sim/report/plots/result_figures.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
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
       results.query("SELECT heuristic FROM results GROUP BY "
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

void require_pairs(const ResultTable& results, const std::string& x, const std::string& y) {
  const std::string both =
      fmt::format("status = 'ok' AND {} IS NOT NULL AND {} IS NOT NULL", sql_name(x), sql_name(y));
  if (results.count("count(*)", both) > 0) return;
  throw InputError("", fmt::format("a row with values of {} and {}", x, y),
                   "none in the selected rows")
      .in_file(results.path());
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
    if (const auto series = request.find("series")) {
      throw InputError("--series", "a value of " + *series + " in each row", "a row without one",
                       "choose rows with --where")
          .in_file(results.path());
    }
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

nlohmann::ordered_json axis_settings(const std::string& axis, const FigureList& figures,
                                     const ResultTable& results, const std::string& column) {
  struct Unit {
    double size;                        ///< in `base`
    double step;                        ///< from a prefix to the next one
    const char* base;                   ///< what the prefixes stand before
    std::vector<const char*> prefixes;  ///< of ascending powers of `step`
    int least = 0;                      ///< the power of the first one
  };
  static const std::map<std::string, Unit> units{
      {"s", {1, 1e3, "s", {"f", "p", "n", "µ", "m", ""}, -5}},
      {"bytes", {1, 1024, "B", {"", "Ki", "Mi", "Gi", "Ti"}}},
      {"bytes/s", {1, 1e3, "B/s", {"", "k", "M", "G", "T"}}},
      {"flop/s", {1, 1e3, "flop/s", {"", "k", "M", "G", "T"}}},
      {"Tflop/s", {1e12, 1e3, "flop/s", {"", "k", "M", "G", "T"}}}};
  const double greatest = to_real(
      results.query(fmt::format("SELECT coalesce(max(abs({0})), 0.0) FROM results WHERE status = "
                                "'ok' AND abs({0}) < 9e999",
                                sql_name(column)))[0][0]);
  std::string caption = axis_caption(figures, column);
  const std::size_t bracket = std::min(caption.rfind(" ("), caption.size());
  const bool has_unit = bracket < caption.size() && caption.ends_with(')');
  std::string shown = has_unit ? caption.substr(bracket + 2, caption.size() - bracket - 3) : "";
  double size = 1;
  if (const auto unit = units.find(shown); unit != units.end() && greatest > 0) {
    const auto& [own, step, base, prefixes, least] = unit->second;
    const int power =
        std::clamp(static_cast<int>(std::floor(std::log(greatest * own) / std::log(step) + 1e-9)),
                   least, least + static_cast<int>(prefixes.size()) - 1);
    size = std::pow(step, power) / own;
    shown = std::string(prefixes[static_cast<std::size_t>(power - least)]) + base;
  } else if (unit == units.end() && greatest >= 1e6) {
    size = greatest >= 1e9 ? 1e9 : 1e6;
    shown = (greatest >= 1e9 ? "billion" : "million") + (has_unit ? " " + shown : "s");
  }
  nlohmann::ordered_json settings{
      {axis + "label", shown.empty() ? caption : caption.substr(0, bracket) + " (" + shown + ")"}};
  if (size != 1) settings[axis + "unit"] = size;
  return settings;
}

std::string qualified_column(const std::string& name) { return "results." + sql_name(name); }

}  // namespace starport
