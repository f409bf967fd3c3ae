// Small arithmetic, and numbers in texts.
#pragma once

#include "sim/files/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

namespace starport {

/// The parts of at most `part` that a whole is cut into: whole / part rounded up, for whole >= 0
/// and part >= 1.
template <std::integral Integer>
constexpr Integer ceil_div(Integer whole, Integer part) {
  return (whole + part - 1) / part;
}

/// The value in the middle; of an even number of them the mean of two. Of at least one.
inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : std::midpoint(values[half - 1], values[half]);
}

/// The value below which such a share of them lies, between neighbours in proportion.
inline double quantile_of(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

/// The number that a text is in full, in C++'s own form; nullopt when it is none, or not finite, or
/// does not fit.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  if constexpr (std::floating_point<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

/// All the numbers of a text, with a separator between; nullopt when one of them is none.
template <class Number>
std::optional<std::vector<Number>> parse_numbers(std::string_view text, char separator) {
  std::vector<Number> values;
  for (bool more = true; more;) {
    more = text.find(separator) != std::string_view::npos;
    const auto value = parse_number<Number>(take_until(text, separator));
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// A share, such as 0.25 or 25%.
inline std::optional<double> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return parse_number<double>(text);
  const auto percent = parse_number<double>(text.substr(0, text.size() - 1));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

}  // namespace starport
