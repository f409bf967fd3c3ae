#include "sim/study/result_rows.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/star/noise_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace starport {
namespace {

constexpr std::size_t kLabels = 7;    ///< instance .. seed
constexpr std::size_t kFigures = 15;  ///< makespan_s .. any_schedule_bound_s
constexpr std::size_t kBounds = 5;    ///< the last of them, which may be empty

/// The problem in blocks as the row shows it, also when the platform has no such block size.
std::string blocks_of(const SweepInstance& instance) {
  const Problem problem = parse_problem(instance.problem_text, instance.block_size, "/problems");
  return fmt::format("{},{},{}", problem.r, problem.s, problem.t);
}

/// A text on one line, so that a record is a line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

/// Up to the next comma; moves `text` behind it.
std::string_view take_field(std::string_view& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::string_view field = text.substr(0, comma);
  text.remove_prefix(std::min(comma + 1, text.size()));
  return field;
}

bool is_number(std::string_view field) {
  double value = 0;
  const auto [rest, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc{} && rest == field.data() + field.size() && std::isfinite(value);
}

}  // namespace

const std::vector<std::string>& result_columns() {
  static const std::vector<std::string> columns{"instance",
                                                "experiment",
                                                "platform",
                                                "problem",
                                                "block_size",
                                                "repetition",
                                                "seed",
                                                "workers",
                                                "r",
                                                "s",
                                                "t",
                                                "engine",
                                                "heuristic",
                                                "status",
                                                "error",
                                                "makespan_s",
                                                "enrolled_workers",
                                                "blocks_moved",
                                                "block_updates",
                                                "ccr",
                                                "port_utilisation",
                                                "send_utilisation",
                                                "receive_utilisation",
                                                "relative_cost",
                                                "relative_work",
                                                "bound_ratio",
                                                "bound_makespan_s",
                                                "c_stationary_bound_s",
                                                "times_bound",
                                                "any_schedule_bound_s",
                                                "details"};
  return columns;
}

ResultRows::ResultRows(const Specification& specification)
    : override_columns_(specification.override_columns()), noisy_(specification.noisy()) {}

std::string ResultRows::header() const {
  std::vector<std::string> columns = result_columns();
  if (noisy_) columns.insert(columns.begin() + kLabels, kNoise);
  columns.insert(columns.begin() + kLabels, override_columns_.begin(), override_columns_.end());
  return fmt::format("{}\r\n", fmt::join(columns, ","));
}

std::string ResultRows::label(const SweepInstance& instance) const {
  std::string text = fmt::format(
      "{},{},{},{},{},{},{},", instance.number, csv_field(instance.experiment->name),
      csv_field(instance.file.name), csv_field(instance.problem_text), instance.block_size,
      instance.repetition, instance.seed ? fmt::format("{}", *instance.seed) : "");
  for (const std::string& column : override_columns_) {
    text += csv_field(instance.override_text(column)) + ",";
  }
  if (noisy_) text += csv_field(to_text(instance.noise)) + ",";
  return text + fmt::format("{},{},", instance.file.size(), blocks_of(instance));
}

std::string ResultRows::rows(const SweepInstance& instance, const Comparison& comparison) const {
  const std::string start = label(instance) + comparison.engine + ",";
  const auto updates = static_cast<double>(comparison.problem.updates());
  const double rho = comparison.bound.throughput_updates_per_s;
  std::string text;
  for (const Result& result : comparison.results) {
    text += start + csv_field(result.heuristic) + "," + to_string(result.status) + ",";
    if (result.status != Status::ok) {
      text += csv_field(one_line(result.error)) + std::string(kFigures + 1, ',') + "\r\n";
      continue;
    }
    const Metrics& metrics = result.metrics;
    // There is no bound where no memory holds its layout; DDOML and BMM need less.
    std::string bound = rho > 0 ? fmt::format("{},{}", result.bound_ratio, updates / rho) : ",";
    const auto [steady_s, c_stationary_s, any_s] = comparison.bounds;
    bound += "," + (c_stationary_s ? fmt::format("{}", *c_stationary_s) : "");
    bound += any_s ? fmt::format(",{},{}", result.times_bound, *any_s) : ",,";
    text += fmt::format(",{},{},{},{},{},{},{},{},{},{},{},{}\r\n", metrics.makespan_s,
                        metrics.enrolled_workers, metrics.blocks_moved, metrics.block_updates,
                        metrics.ccr, metrics.port_utilisation, metrics.send_utilisation,
                        metrics.receive_utilisation, result.relative_cost, result.relative_work,
                        bound, csv_field(details_text(result.details)));
  }
  return text;
}

std::string ResultRows::timings(const SweepInstance& instance, const std::vector<Result>& results) {
  std::string text;
  for (const Result& result : results) {
    text += fmt::format("{},{},", instance.number, csv_field(result.heuristic));
    text += result.status == Status::ok
                ? fmt::format("{},{}\r\n", result.decision_s, result.simulation_s)
                : ",\r\n";
  }
  return text;
}

std::string ResultRows::find_fault(const SweepInstance& instance, std::string_view text) const {
  const std::string start = label(instance);
  for (const NamedHeuristic& named : *instance.experiment->heuristics) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    if (!row.starts_with(start)) return "the row of instance " + start;
    row.remove_prefix(start.size());
    take_field(row);  // the engine
    const std::string heuristic = csv_field(named.name) + ",";
    if (!row.starts_with(heuristic)) return "the row of " + named.name;
    row.remove_prefix(heuristic.size());
    const std::string_view status = take_field(row);
    if (status == to_string(Status::ok)) {
      if (!take_field(row).empty()) return "no error where the status is ok";
      for (std::size_t i = 0; i < kFigures; ++i) {
        const std::string_view figure = take_field(row);
        const bool none = figure.empty() && i >= kFigures - kBounds;
        if (!none && !is_number(figure)) return "fifteen figures where the status is ok";
      }
      const bool quoted = row.size() >= 2 && row.front() == '"' && row.back() == '"';
      if (!quoted && row.find_first_of(",\"") != std::string_view::npos)
        return "details, then no more";
    } else if (status == to_string(Status::error) || status == to_string(Status::not_applicable)) {
      if (!row.ends_with(std::string(kFigures + 1, ',')))
        return "no figures where the status is not ok";
    } else {
      return "a status: ok, error or not applicable";
    }
  }
  return text.empty() ? "" : "a row for each heuristic, once";
}

std::int64_t ResultRows::failures(const SweepInstance& instance, std::string_view text) const {
  const std::size_t start = label(instance).size();
  std::int64_t count = 0;
  for (const NamedHeuristic& named : *instance.experiment->heuristics) {
    std::string_view row = text.substr(start);
    take_field(row);  // the engine
    row.remove_prefix(csv_field(named.name).size() + 1);
    if (take_field(row) == to_string(Status::error)) ++count;
    text.remove_prefix(text.find("\r\n") + 2);
  }
  return count;
}

}  // namespace starport
