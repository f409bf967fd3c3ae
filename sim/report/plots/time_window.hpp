// The part of a trace that a figure shows, and the unit of its axis.
#pragma once

#include <optional>
#include <string>

namespace starport {

/// A range of dates of a run, in simulated seconds since its start.
struct TimeWindow {
  /// First date of the window in seconds.
  double from_s;
  /// Last date of the window in seconds, later than the first.
  double to_s;

  /// Returns the length of the window in seconds.
  double length_s() const { return to_s - from_s; }
};

/// Parses the values of the options --from and --to, dates in seconds; nullopt means 0 and `end_s`,
/// the last date of the trace. Throws InputError, naming the option, if one is no date, if the
/// window starts at `end_s` or later, or if it is shorter than 1e-9 of `end_s`. Requires end_s > 0.
TimeWindow time_window(const std::optional<std::string>& from, const std::optional<std::string>& to,
                       double end_s);

/// The unit and the tics of a time axis.
struct TimeAxis {
  /// The unit of the axis in seconds: 0.001 for ms.
  double unit_s;
  /// Name of the unit: "s", "ms", "µs", "ns" or a power of ten of the second (UTF-8).
  std::string unit;
  /// Caption of the axis: "time (ms)".
  std::string label;
  /// Distance between tics in `unit`: 1, 2 or 5 times a power of ten.
  double tic;
  /// Number of decimals that the labels of the tics need.
  int decimals;
};
/// Chooses a unit and tics that suit a window on an axis of `width_cm` centimetres. Requires a
/// window of positive length that ends after 0 (not checked).
TimeAxis time_axis(const TimeWindow& window, double width_cm = 15);

}  // namespace starport
