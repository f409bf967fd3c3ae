// Comparisons of computed dates and ratios with tolerance, so that every engine breaks ties alike.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport {

/// Difference, relative to the larger magnitude, up to which nearly_equal() treats two computed
/// dates or ratios as equal.
inline constexpr double kRelativeTolerance = 1e-9;

/// Returns the difference up to which nearly_equal() treats two values as equal: a relative 1e-9 of
/// the larger magnitude. Finite, also for infinite values; meaningless for NaN.
inline double tie_width(double a, double b) {
  return kRelativeTolerance *
         std::min(std::max(std::abs(a), std::abs(b)), std::numeric_limits<double>::max());
}

/// Returns whether two values differ by at most a relative 1e-9 of the larger magnitude; an
/// infinite value equals only itself, NaN nothing, and 0 only 0.
inline bool nearly_equal(double a, double b) {
  return a == b || std::abs(a - b) <= tie_width(a, b);
}

/// Returns whether a < b by more than a relative 1e-9 of the larger magnitude; false if one is NaN,
/// true if a is finite and b is +infinity. Replacing the best value only when this holds lets the
/// first of equal values (the smallest index) win.
inline bool clearly_less(double a, double b) { return b - a > tie_width(a, b); }

/// Returns `x` rounded up, except that a value within a relative 1e-9 of an integer gives that
/// integer. Any x in (0, 1), however small, gives 1; infinities and NaN are returned as they are.
inline double tolerant_ceil(double x) {
  const double nearest = std::round(x);
  return nearly_equal(x, nearest) ? nearest : std::ceil(x);
}

/// Returns `x` rounded down, except that a value within a relative 1e-9 of an integer gives that
/// integer; infinities and NaN are returned as they are.
inline double tolerant_floor(double x) {
  const double nearest = std::round(x);
  return nearly_equal(x, nearest) ? nearest : std::floor(x);
}

/// Relative rounding error of a computed date (simulated seconds) that the checks of a run
/// tolerate: 64 units in the last place of a double.
inline constexpr double kDateRounding = 0x1p-46;

/// Returns whether date a_s is earlier than b_s (simulated seconds, both >= 0) by more than a
/// relative 2^-46, and so by more than rounding errors explain. For checks of a run against its
/// model, since the relative 1e-9 of clearly_less() would hide real errors.
inline bool clearly_earlier(double a_s, double b_s) { return a_s < b_s * (1 - kDateRounding); }

}  // namespace starport
