// Conversion between the master's clock and that of a worker on another machine.
#pragma once

#include <algorithm>
#include <numeric>

namespace starport::mpi {

/// Converter of dates, in seconds, between the clock of one worker and the master's clock. The
/// offset between them is measured once, or twice: after one reading it is constant, after two it
/// lies on the line through them, also before and after them. Clocks are assumed to drift by at
/// most 0.1 %: if the readings differ by more, as when a busy machine disturbs them, the line has a
/// slope of 0.1 % or -0.1 % and passes through the midpoint of the readings. Without a reading the
/// offset is 0. A plain value; measures nothing itself.
class WorkerClock {
 public:
  /// One measurement of the offset between a worker's clock and the master's clock.
  struct Reading {
    /// Date of the measurement, in seconds on the master's clock.
    double at_s = 0;
    /// Worker's clock minus master's clock at that date, in seconds.
    double offset_s = 0;
  };

  /// Stores the first reading of the offset between the worker's and the master's clock, and
  /// discards all earlier ones: the offset is then constant.
  void set(const Reading& reading) { first_ = last_ = reading; }
  /// Stores the second reading of the offset between the worker's and the master's clock, and
  /// replaces an earlier second one. Requires set() before and a later date than the first
  /// reading's (neither is checked; a reading of the same date is ignored).
  void set_last(const Reading& reading) { last_ = reading; }

  /// Converts a date of the worker's clock into one of the master's clock, both in seconds: the
  /// inverse of worker_time_s() up to a negligible error.
  double master_time_s(double worker_s) const {
    return worker_s - offset_s(worker_s - first_.offset_s);
  }
  /// Converts a date of the master's clock into one of the worker's clock, both in seconds.
  double worker_time_s(double master_s) const { return master_s + offset_s(master_s); }

 private:
  double offset_s(double at_s) const {
    if (last_.at_s == first_.at_s) return first_.offset_s;
    // Kernels adjust the rate of a clock by at most 0.05 % (adjtimex(2)).
    constexpr double max_drift = 1e-3;
    const double drift = std::clamp((last_.offset_s - first_.offset_s) / (last_.at_s - first_.at_s),
                                    -max_drift, max_drift);
    return std::midpoint(first_.offset_s, last_.offset_s) +
           drift * (at_s - std::midpoint(first_.at_s, last_.at_s));
  }

  Reading first_;
  Reading last_;
};

}  // namespace starport::mpi
