// Small arithmetic, and numbers in texts.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>

namespace starport {

/// The parts of at most `part` that a whole is cut into: whole / part rounded up, for whole >= 0
/// and part >= 1.
template <std::integral Integer>
constexpr Integer ceil_div(Integer whole, Integer part) {
  return (whole + part - 1) / part;
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

}  // namespace starport
