#include "sim/results/figure.hpp"

#include "sim/files/error.hpp"
#include "sim/files/units.hpp"
#include "sim/results/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace starport {

double real(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? *number : std::numeric_limits<double>::quiet_NaN();
}

std::string format_exact(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? fmt::format("{}", *number) : "";
}

std::string format_value(Form form, const Value& value) {
  if (is_none(value)) return "-";
  const double number = real(value);
  switch (form) {
    case Form::text:
    case Form::count:
      return format_exact(value);
    case Form::yes_no:
      return number != 0 ? "yes" : "no";
    case Form::date:
      return fmt::format("{:.6g}", number);
    case Form::duration:
      return number > 0 ? format_seconds(number) : "-";
    case Form::ratio:
      return fmt::format("{:.3f}", number);
    case Form::per_update:
      return fmt::format("{:.4f}", number);
    case Form::share:
      return fmt::format("{:.1f}%", 100 * number);
    case Form::mean:
      return fmt::format("{:.2f}", number);
    case Form::speed:
      return format_speed(1e12 * number);
  }
  return "";
}

void Figures::set(const Figure& figure, Value value) {
  for (auto& [existing, old] : values_) {
    if (existing == &figure) {
      old = value;
      return;
    }
  }
  values_.emplace_back(&figure, value);
}

Value Figures::operator[](const Figure& figure) const {
  for (const auto& [existing, value] : values_) {
    if (existing == &figure) return value;
  }
  return std::monostate{};
}

FigureList merge_figures(FigureList first, const FigureList& second) {
  for (const Figure* figure : second) {
    if (std::ranges::find(first, figure) == first.end()) first.push_back(figure);
  }
  return first;
}

std::string axis_caption(const FigureList& figures, std::string_view column) {
  for (const Figure* figure : figures) {
    if (figure->key == column && !figure->axis.empty()) return std::string(figure->axis);
  }
  if (column == "cv") return "coefficient of variation of the noise";
  // The longest suffix first, because _bytes_per_s ends with _s.
  static const std::vector<std::pair<std::string_view, std::string_view>> units{
      {"_bytes_per_s", " (bytes/s)"},
      {"_bytes", " (bytes)"},
      {"_flops", " (flop/s)"},
      {"_s", " (s)"}};
  std::string_view name = column;
  std::string_view unit;
  for (const auto& [suffix, caption] : units) {
    if (!unit.empty() || !name.ends_with(suffix)) continue;
    name.remove_suffix(suffix.size());
    unit = caption;
  }
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text + std::string(unit);
}

void check_column_name(const std::string& name, const std::string& pointer) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool valid =
      !name.empty() && is_letter(name.front()) &&
      std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  if (!valid) {
    throw InputError(pointer, "a column name of letters, digits and _", '"' + name + '"');
  }
}

namespace {

/// Returns makespan x enrolled workers; infinity for models that do not report relative_work, which
/// are thus left out of its minimum.
double work(const RecordContext& row) {
  const FigureList& figures = row.record.model->figures();
  if (std::ranges::find(figures, &kRelativeWork) == figures.end()) {
    return std::numeric_limits<double>::infinity();
  }
  return row[kMakespan] * row[kEnrolledWorkers];
}

}  // namespace

Value relative_cost(const RecordContext& row) { return row[kMakespan] / row.minimum(kMakespan); }
Value relative_work(const RecordContext& row) { return work(row) / row.minimum(work); }

FigureList common_figures() {
  return {&kMakespan,     &kRepetitionCount, &kMedianMakespan, &kLowMakespan, &kHighMakespan,
          &kLowAboveBest, &kHighAboveBest,   &kWithinNoise,    &kDecision,    &kSimulation};
}

const FigureList& label_columns() {
  constexpr auto label = [](std::string_view key, std::string_view meaning,
                            std::string_view axis = {}) {
    return figure(key, key, "", Form::text, Scope::label, meaning, "", axis);
  };
  static const std::array columns{
      label("instance", "number of the instance in its sweep, from 1"),
      label("experiment", "name of the experiment of the sweep"),
      label("platform", "name of the platform"),
      label("problem", "matrix product in elements, nAxnABxnB"),
      label("block_size", "q, the side of a block in matrix elements", "block size q (elements)"),
      label("repetition", "number of the random draw of the platform or of the noise, from 1"),
      label("seed", "seed from which the platform was drawn; empty for platform files"),
      label("noise", "noise as --noise accepts it; its factors depend on the repetition"),
      label("workers", "number of workers of the platform"),
      label("r", "block rows of A and C", "r (blocks)"),
      label("s", "block columns of B and C", "s (blocks)"),
      label("t", "block columns of A, block rows of B", "t (blocks)"),
      label("engine", "simulation engine: simgrid or analytic"),
      label("heuristic", "algorithm as --heuristics accepts it"),
      label("status", "ok, error or not applicable"),
      label("error", "reason when the status is not ok"),
      label("cause", "cause of an error: model, time, memory (limits of this machine) or killed"),
      label(
          "details",
          "decisions of the algorithm, as key=value; ...; no_bounds says why there are no bounds")};
  static const FigureList list = [] {
    FigureList figures;
    for (const Figure& figure : columns) figures.push_back(&figure);
    return figures;
  }();
  return list;
}

}  // namespace starport
