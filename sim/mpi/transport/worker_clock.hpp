// Conversion between the master's clock and that of a worker on another machine.
#pragma once

namespace starport::mpi {

/// Converter of dates, in seconds, between the clock of one worker and the master's clock. The
/// offset between them is measured once, or twice: after one reading it is constant, after two it
/// is interpolated linearly between them, and extrapolated outside. Without a reading the offset is
/// 0. A plain value; measures nothing itself.
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
  /// replaces an earlier second one. It must be taken later than the first (one of the same date is
  /// ignored); call set() before.
  void set_last(const Reading& reading) { last_ = reading; }

  /// Converts a date of the worker's clock into one of the master's clock, both in seconds. The
  /// offset is taken at a date that is itself wrong by the drift of the clocks, about a millionth;
  /// this is negligible.
  double master_time_s(double worker_s) const {
    return worker_s - offset_s(worker_s - first_.offset_s);
  }
  /// Converts a date of the master's clock into one of the worker's clock, both in seconds.
  double worker_time_s(double master_s) const { return master_s + offset_s(master_s); }

 private:
  double offset_s(double at_s) const {
    if (last_.at_s == first_.at_s) return first_.offset_s;
    const double share = (at_s - first_.at_s) / (last_.at_s - first_.at_s);
    return first_.offset_s + share * (last_.offset_s - first_.offset_s);
  }

  Reading first_;
  Reading last_;
};

}  // namespace starport::mpi
