// The part of a trace that a figure shows, and the unit of its axis.
#pragma once

#include <optional>
#include <string>

namespace starport {

/// A range of dates, in seconds.
struct TimeWindow {
  double from_s;
  double to_s;

  double length_s() const { return to_s - from_s; }
};

/// Parses the options --from and --to (dates in seconds; nullopt: 0 and `end_s`). Throws InputError
/// naming the option if it is no date, if the window starts after `end_s`, or if it is shorter than
/// 1e-9 of `end_s`.
TimeWindow time_window(const std::optional<std::string>& from, const std::optional<std::string>& to,
                       double end_s);

/// The unit and the tics of a time axis.
struct TimeAxis {
  double unit_s;      ///< the unit in seconds: 0.001 for ms
  std::string unit;   ///< "ms"
  std::string label;  ///< "time (ms)"
  double tic;         ///< distance between tics in this unit: 1, 2 or 5 times a power of ten
  int decimals;       ///< decimals that the tics need
};
/// Chooses a unit and tics that suit a window on an axis of this width.
TimeAxis time_axis(const TimeWindow& window, double width_cm = 15);

}  // namespace starport
