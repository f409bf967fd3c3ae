// When two computed dates or ratios count as equal, so that every engine breaks ties alike.
#pragma once

#include <algorithm>
#include <cmath>

namespace starport {

inline constexpr double kRelativeTolerance = 1e-9;

/// Equal within a relative 1e-9; an infinite date equals only itself.
inline bool nearly_equal(double a, double b) {
  if (a == b) return true;
  if (std::isinf(a) || std::isinf(b)) return false;
  return std::abs(a - b) <= kRelativeTolerance * std::max(std::abs(a), std::abs(b));
}

/// a < b, beyond the tolerance. Replacing the best only when this holds lets the first of equals
/// (the smallest index) win.
inline bool clearly_less(double a, double b) { return a < b && !nearly_equal(a, b); }

/// ceil(x), where a value within a relative 1e-9 of an integer is that integer.
inline double tolerant_ceil(double x) {
  const double nearest = std::round(x);
  return nearly_equal(x, nearest) ? nearest : std::ceil(x);
}

}  // namespace starport
