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

/// Exception for a broken rule, not derived from std::exception. Thrown by the rules and caught by
/// the validator, which adds the index of the transfer.
struct BrokenRule {
  /// Description of the fault as part of a sentence, without a newline; workers and updates are
  /// numbered from 1.
  std::string message;
};

/// Throws BrokenRule with a message formatted as by fmt::format().
template <class... Values>
[[noreturn]] void throw_broken_rule(fmt::format_string<Values...> format, Values&&... values) {
  throw BrokenRule{fmt::format(format, std::forward<Values>(values)...)};
}

/// Returns true if `date_s` is equal to one of `dates`, within a relative 2^-46 (clearly_earlier()
/// in ties.hpp). Dates are in seconds; `dates` must be sorted in ascending order (not checked).
inline bool is_among(const std::vector<double>& dates, double date_s) {
  const auto near = std::lower_bound(dates.begin(), dates.end(), date_s, clearly_earlier);
  return near != dates.end() && !clearly_earlier(date_s, *near);
}

/// Returns the tolerance, in seconds, for a duration of `expected_s` seconds that ends at date
/// `end_s`: a relative 1e-9, plus the rounding error of the dates.
inline double duration_tolerance_s(double end_s, double expected_s) {
  return kRelativeTolerance * expected_s + 1e-13 * end_s;
}

/// Throws BrokenRule if the activity `what` ("transfer" or "update") from `start_s` to `end_s` does
/// not last `expected_s` seconds within duration_tolerance_s().
inline void check_duration(const char* what, double start_s, double end_s, double expected_s) {
  if (std::abs(end_s - start_s - expected_s) > duration_tolerance_s(end_s, expected_s)) {
    throw_broken_rule("the {} lasts {} s instead of {} s", what, end_s - start_s, expected_s);
  }
}

}  // namespace starport
