#include "sim/results/figure.hpp"

#include "sim/files/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace starport {

double real(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? *number : std::numeric_limits<double>::quiet_NaN();
}

std::string in_full(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? fmt::format("{}", *number) : "";
}

std::string shown(Form form, const Value& value) {
  if (is_none(value)) return "-";
  const double number = real(value);
  switch (form) {
    case Form::text:
    case Form::count:
      return in_full(value);
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
  }
  return "";
}

void Figures::set(const Figure& figure, Value value) {
  for (auto& [known, old] : values_) {
    if (known == &figure) {
      old = value;
      return;
    }
  }
  values_.emplace_back(&figure, value);
}

Value Figures::operator[](const Figure& figure) const {
  for (const auto& [known, value] : values_) {
    if (known == &figure) return value;
  }
  return std::monostate{};
}

FigureList merged(FigureList first, const FigureList& second) {
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
  // Longest suffix first.
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

}  // namespace starport
