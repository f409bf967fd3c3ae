// Conversion between the master's clock and that of a worker on another machine.
#pragma once

namespace starport::mpi {

/// Converts dates between the clock of one worker and the master's clock. The offset between them
/// is measured once, or twice; between two readings it is interpolated linearly.
class WorkerClock {
 public:
  /// One measurement of the offset.
  struct Reading {
    double at_s = 0;      ///< date of the measurement, on the master's clock
    double offset_s = 0;  ///< worker's clock minus master's clock
  };

  /// Stores the first reading, and discards earlier ones.
  void set(const Reading& reading) { first_ = last_ = reading; }
  /// Stores a second reading, taken later than the first.
  void set_last(const Reading& reading) { last_ = reading; }

  /// Converts a date of the worker's clock into one of the master's clock. The offset is taken at a
  /// date that is itself wrong by the drift of the clocks, about a millionth; this is negligible.
  double master_time_s(double worker_s) const {
    return worker_s - offset_s(worker_s - first_.offset_s);
  }
  /// Converts a date of the master's clock into one of the worker's clock.
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
