// The part of a trace that a figure shows, and the unit of its axis.
#pragma once

#include <optional>
#include <string>

namespace starport {

struct TimeWindow {
  double from_s;
  double to_s;

  double length_s() const { return to_s - from_s; }
};

/// The dates asked for, else the whole until `end_s`. Throws InputError that names --from or --to
/// when they do not leave a part of the trace that doubles can tell apart.
TimeWindow time_window(const std::optional<std::string>& from, const std::optional<std::string>& to,
                       double end_s);

/// How dates are written along an axis.
struct TimeAxis {
  double unit_s;      ///< dates are divided by it
  std::string unit;   ///< "ms"
  std::string label;  ///< "time (ms)"
  double tic;         ///< between two tics, in that unit: 1, 2 or 5 times a power of ten
  int decimals;       ///< that a tic needs
};
TimeAxis time_axis(const TimeWindow& window, double width_cm = 15);

}  // namespace starport
