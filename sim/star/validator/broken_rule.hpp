// How the rules of the validator say that a trace breaks them, of durations in particular.
#pragma once

#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// Thrown by a rule, caught by the validator, which adds the transfer.
struct BrokenRule {
  std::string message;
};

template <class... Values>
[[noreturn]] void broken(fmt::format_string<Values...> format, Values&&... values) {
  throw BrokenRule{fmt::format(format, std::forward<Values>(values)...)};
}

/// Whether a date is among dates in growing order.
inline bool is_among(const std::vector<double>& dates, double date_s) {
  const auto near = std::lower_bound(dates.begin(), dates.end(), date_s, clearly_earlier);
  return near != dates.end() && !clearly_earlier(date_s, *near);
}

/// A relative 1e-9, and what the rounding of the dates themselves takes away.
inline double duration_tolerance_s(double end_s, double expected_s) {
  return kRelativeTolerance * expected_s + 1e-13 * end_s;
}

/// Throws BrokenRule. `what` is a transfer or an update.
inline void check_duration(const char* what, double start_s, double end_s, double expected_s) {
  if (std::abs(end_s - start_s - expected_s) > duration_tolerance_s(end_s, expected_s)) {
    broken("the {} lasts {} s, {} in the model", what, end_s - start_s, expected_s);
  }
}

}  // namespace starport
