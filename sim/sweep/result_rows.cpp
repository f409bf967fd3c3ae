#include "sim/sweep/result_rows.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/noise/noise_text.hpp"
#include "sim/results/common_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {
namespace {

/// Returns "r,s,t", the problem in blocks. Works without the platform, which may not exist at this
/// block size.
std::string blocks_of(const SweepInstance& instance) {
  const Problem problem = parse_problem(instance.problem_text, instance.block_size, "/problems");
  return fmt::format("{},{},{}", problem.r, problem.s, problem.t);
}

/// Returns the text up to the next comma and removes both from `text`.
std::string_view read_field(std::string_view& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::string_view field = text.substr(0, comma);
  text.remove_prefix(std::min(comma + 1, text.size()));
  return field;
}

/// Returns the figures of runs and instances that rows have, in the order of the columns.
FigureList row_figures(const Models& models, bool repeated, bool wall_clock) {
  FigureList rows;
  for (const Figure* figure : figures_of(models)) {
    const bool of_rows = figure->scope == Scope::run || figure->scope == Scope::instance;
    if (of_rows && figure->repeated <= repeated && figure->wall_clock <= wall_clock) {
      rows.push_back(figure);
    }
  }
  return rows;
}

/// Returns the cells of a record: heuristic, status, error, cause, figures, details. Line breaks in
/// the error and the details become spaces.
std::string record_csv(const FigureList& figures, const Comparison& comparison,
                       const Record& record) {
  std::string text = quote_csv_field(record.algorithm) + "," + to_string(record.status) + ",";
  if (record.status != Status::ok) {
    const char* const cause = record.status == Status::error ? to_string(record.cause) : "";
    return text + quote_csv_field(sanitize_line(record.error)) + "," + cause +
           std::string(figures.size() + 1, ',');
  }
  text += ",";  // no cause
  const Figures& bounds = comparison.bounds_of(record.model);
  for (const Figure* figure : figures) {
    const Figures& source = figure->scope == Scope::run ? record.figures : bounds;
    text += "," + format_exact(source[*figure]);
  }
  return text + "," + quote_csv_field(sanitize_line(details_text(record.details)));
}

}  // namespace

std::string to_csv(const Comparison& comparison) {
  const FigureList figures = row_figures(comparison.models, comparison.has_repetitions(), true);
  const bool noisy = !comparison.noise.empty();
  std::string text = noisy ? "platform,noise,r,s,t,block_size,engine,heuristic,status,error,cause"
                           : "platform,r,s,t,block_size,engine,heuristic,status,error,cause";
  for (const Figure* figure : figures) text += "," + std::string(figure->key);
  text += ",details\r\n";
  const Problem& problem = comparison.instance.problem;
  const std::string start =
      fmt::format("{}{},{},{},{},{},{},", quote_csv_field(comparison.instance.file.name),
                  noisy ? "," + quote_csv_field(comparison.noise) : "", problem.r, problem.s,
                  problem.t, problem.block_size, to_string(comparison.engine));
  for (const Record& record : comparison.records) {
    text += start + record_csv(figures, comparison, record) + "\r\n";
  }
  return text;
}

ResultRows::ResultRows(const Specification& specification)
    : override_columns_(specification.override_columns()),
      measures_(specification.measures),
      noisy_(specification.has_noise()),
      figures_(row_figures(specification.models(), false, false)) {}

std::string ResultRows::header() const {
  std::string text = "instance,experiment,platform,problem,block_size,repetition,seed,";
  for (const std::string& column : override_columns_) text += column + ",";
  if (noisy_) text += "noise,";
  text += "workers,";
  for (const PlatformMeasure* measure : measures_) text += std::string(measure->figure.key) + ",";
  text += "r,s,t,engine,heuristic,status,error,cause";
  for (const Figure* figure : figures_) text += "," + std::string(figure->key);
  return text + ",details\r\n";
}

std::string ResultRows::measures_csv(const SweepInstance& instance) const {
  try {
    const Platform platform = instance.file.at_block_size(instance.block_size);
    std::string text;
    for (const PlatformMeasure* measure : measures_)
      text += format_exact(measure->compute(platform)) + ",";
    return text;
  } catch (const InputError&) {  // it is no star
    return std::string(measures_.size(), ',');
  }
}

std::string ResultRows::label(const SweepInstance& instance) const {
  std::string text =
      fmt::format("{},{},{},{},{},{},{},", instance.number,
                  quote_csv_field(instance.experiment->name), quote_csv_field(instance.file.name),
                  quote_csv_field(instance.problem_text), instance.block_size, instance.repetition,
                  instance.seed ? fmt::format("{}", *instance.seed) : "");
  for (const std::string& column : override_columns_) {
    text += quote_csv_field(instance.override_text(column)) + ",";
  }
  if (noisy_) text += quote_csv_field(to_text(instance.noise)) + ",";
  text += fmt::format("{},", instance.file.size());
  if (!measures_.empty()) text += measures_csv(instance);
  return text + blocks_of(instance) + ",";
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
    text += fmt::format("{},{},{},{}\r\n", instance.number, quote_csv_field(record.algorithm),
                        format_exact(record.figures[kDecision]),
                        format_exact(record.figures[kSimulation]));
  }
  return text;
}

std::string ResultRows::find_fault(const SweepInstance& instance, std::string_view text,
                                   Failures& failures) const {
  const std::string start = label(instance);
  for (const NamedAlgorithm& named : *instance.experiment->algorithms) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    if (!row.starts_with(start)) return "the row of instance " + start;
    row.remove_prefix(start.size());
    read_field(row);  // the engine
    const std::string heuristic = quote_csv_field(named.name) + ",";
    if (!row.starts_with(heuristic)) return "the row of " + named.name;
    row.remove_prefix(heuristic.size());
    const std::string_view status = read_field(row);
    if (status == to_string(Status::ok)) {
      for (int field = 0; field < 2; ++field) {
        if (!read_field(row).empty()) return "no error where the status is ok";
      }
      for (const Figure* figure : figures_) {
        const std::string_view field = read_field(row);
        const bool none = field.empty() && figure != &kMakespan;
        if (!none && !parse_number<double>(field)) {
          return fmt::format("{} figures where the status is ok", figures_.size());
        }
      }
      const bool quoted = row.size() >= 2 && row.front() == '"' && row.back() == '"';
      if (!quoted && row.find_first_of(",\"") != row.npos) return "details, then no more";
      continue;
    }
    const bool failed = status == to_string(Status::error);
    if (!failed && status != to_string(Status::not_applicable)) {
      return "a status: ok, error or not applicable";
    }
    if (!row.ends_with(std::string(figures_.size() + 1, ','))) {
      return "no figures where the status is not ok";
    }
    row.remove_suffix(figures_.size() + 1);
    const std::string_view cause = row.substr(row.rfind(',') + 1);
    if (!failed) {
      if (!cause.empty()) return "no cause where the status is not error";
      continue;
    }
    if (std::ranges::none_of(kFailureCauses,
                             [&](FailureCause known) { return cause == to_string(known); })) {
      return "the cause of an error: model, time, memory or killed";
    }
    ++failures.all;
    failures.of_machine += cause != to_string(FailureCause::model);
  }
  return text.empty() ? "" : "a row for each heuristic, once";
}

}  // namespace starport
