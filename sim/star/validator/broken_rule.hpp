// Reporting of broken rules inside the validator, and rules about durations.
#pragma once

#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// Exception for a broken rule. Thrown by rules, caught by the validator, which adds the transfer.
struct BrokenRule {
  std::string message;
};

/// Throws BrokenRule with a formatted message.
template <class... Values>
[[noreturn]] void throw_broken_rule(fmt::format_string<Values...> format, Values&&... values) {
  throw BrokenRule{fmt::format(format, std::forward<Values>(values)...)};
}

/// Returns true if `date_s` is in `dates`, which must be sorted, within the tolerance of ties.hpp.
inline bool is_among(const std::vector<double>& dates, double date_s) {
  const auto near = std::lower_bound(dates.begin(), dates.end(), date_s, clearly_earlier);
  return near != dates.end() && !clearly_earlier(date_s, *near);
}

/// Returns the tolerance for a duration of `expected_s` that ends at `end_s`: a relative 1e-9, plus
/// the rounding error of the dates.
inline double duration_tolerance_s(double end_s, double expected_s) {
  return kRelativeTolerance * expected_s + 1e-13 * end_s;
}

/// Throws BrokenRule if `what` ("transfer" or "update") does not last `expected_s` seconds within
/// the tolerance.
inline void check_duration(const char* what, double start_s, double end_s, double expected_s) {
  if (std::abs(end_s - start_s - expected_s) > duration_tolerance_s(end_s, expected_s)) {
    throw_broken_rule("the {} lasts {} s instead of {} s", what, end_s - start_s, expected_s);
  }
}

}  // namespace starport
