#include "sim/study/result_rows.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/noise_text.hpp"
#include "sim/study/common_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace starport {
namespace {

constexpr std::size_t kLabels = 7;  ///< instance .. seed

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

}  // namespace

FigureList row_figures(const Models& models) {
  FigureList rows;
  for (const Figure* figure : figures_of(models)) {
    const bool of_rows = figure->scope == Scope::run || figure->scope == Scope::instance;
    if (of_rows && !figure->repeated && !figure->wall_clock) rows.push_back(figure);
  }
  return rows;
}

std::vector<std::string> result_columns(const Models& models) {
  std::vector<std::string> columns{"instance",   "experiment", "platform",  "problem", "block_size",
                                   "repetition", "seed",       "workers",   "r",       "s",
                                   "t",          "engine",     "heuristic", "status",  "error"};
  for (const Figure* figure : row_figures(models)) columns.emplace_back(figure->key);
  columns.emplace_back("details");
  return columns;
}

std::string record_csv(const FigureList& figures, const Comparison& comparison,
                       const Record& record) {
  std::string text = csv_field(record.algorithm) + "," + to_string(record.status) + ",";
  if (record.status != Status::ok) {
    return text + csv_field(one_line(record.error)) + std::string(figures.size() + 1, ',');
  }
  const Figures& bounds = comparison.bounds_of(record.model);
  for (const Figure* figure : figures) {
    const Figures& source = figure->scope == Scope::run ? record.figures : bounds;
    text += "," + in_full(source[*figure]);
  }
  return text + "," + csv_field(one_line(details_text(record.details)));
}

ResultRows::ResultRows(const Specification& specification)
    : override_columns_(specification.override_columns()),
      noisy_(specification.noisy()),
      models_(specification.models()),
      figures_(row_figures(models_)) {}

std::string ResultRows::header() const {
  std::vector<std::string> columns = result_columns(models_);
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
  const std::string start = label(instance) + to_string(comparison.engine) + ",";
  std::string text;
  for (const Record& record : comparison.records) {
    text += start + record_csv(figures_, comparison, record) + "\r\n";
  }
  return text;
}

std::string ResultRows::timings(const SweepInstance& instance, const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) {
    text += fmt::format("{},{},{},{}\r\n", instance.number, csv_field(record.algorithm),
                        in_full(record.figures[kDecision]), in_full(record.figures[kSimulation]));
  }
  return text;
}

std::string ResultRows::find_fault(const SweepInstance& instance, std::string_view text) const {
  const std::string start = label(instance);
  for (const NamedAlgorithm& named : *instance.experiment->algorithms) {
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
      for (const Figure* figure : figures_) {
        const std::string_view field = take_field(row);
        const bool none = field.empty() && figure != &kMakespan;
        if (!none && !parse_number<double>(field)) {
          return fmt::format("{} figures where the status is ok", figures_.size());
        }
      }
      const bool quoted = row.size() >= 2 && row.front() == '"' && row.back() == '"';
      if (!quoted && row.find_first_of(",\"") != std::string_view::npos)
        return "details, then no more";
    } else if (status == to_string(Status::error) || status == to_string(Status::not_applicable)) {
      if (!row.ends_with(std::string(figures_.size() + 1, ',')))
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
  for (const NamedAlgorithm& named : *instance.experiment->algorithms) {
    std::string_view row = text.substr(start);
    take_field(row);  // the engine
    row.remove_prefix(csv_field(named.name).size() + 1);
    if (take_field(row) == to_string(Status::error)) ++count;
    text.remove_prefix(text.find("\r\n") + 2);
  }
  return count;
}

}  // namespace starport
