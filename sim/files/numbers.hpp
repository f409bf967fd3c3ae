// Small arithmetic, order statistics, and numbers in text.
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

/// Returns whole / part rounded up. Requires whole >= 0, part >= 1, and a sum of both that does not
/// overflow (not checked).
template <std::integral Integer>
constexpr Integer ceil_div(Integer whole, Integer part) {
  return (whole + part - 1) / part;
}

/// Returns the median of `values`, in any order; of an even number of values, the mean of the
/// middle two. Requires at least one value and no NaN; otherwise the behaviour is undefined.
inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : std::midpoint(values[half - 1], values[half]);
}

/// Returns the quantile `share` of `values`, in any order, interpolating linearly between
/// neighbouring values: the smallest for 0, the largest for 1. Requires at least one value, no NaN,
/// and a share from 0 to 1; otherwise the behaviour is undefined. With infinite values, the result
/// may be NaN.
inline double quantile_of(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

/// Parses a text that is one number as std::from_chars reads it (decimal, no leading space or '+').
/// Returns nullopt when the text is empty or has anything else in it, or the number is not finite
/// or out of range of `Number`.
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

/// Parses numbers with a `separator` between them, such as "1:2:3". Returns nullopt for an empty
/// text, or when any part is empty, has a space or a leading '+', or is not a finite decimal number
/// in range of `Number`.
template <class Number>
std::optional<std::vector<Number>> parse_numbers(std::string_view text, char separator) {
  std::vector<Number> values;
  for (bool more = true; more;) {
    more = text.find(separator) != std::string_view::npos;
    const auto value = parse_number<Number>(next_token(text, separator));
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// Parses a share such as "0.25" or "25%" (both 0.25). Returns nullopt when the text is neither, or
/// the number is not finite; the range is not checked, so that "-5%" and "200%" are accepted.
inline std::optional<double> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return parse_number<double>(text);
  const auto percent = parse_number<double>(text.substr(0, text.size() - 1));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

}  // namespace starport
