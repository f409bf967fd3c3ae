// The monotonic clock of the system.
#pragma once

namespace starport {

/// Returns the wall-clock time in seconds since an unspecified date, by a clock that never goes
/// back. Its zero is the same in all processes of one machine until it restarts, so that dates can
/// be compared between them.
double monotonic_time_s();
/// Measures wall-clock time in seconds since its construction, by the monotonic clock.
class Stopwatch {
 public:
  /// Returns the seconds since construction; calling it does not reset the stopwatch.
  double elapsed_s() const { return monotonic_time_s() - begin_s_; }

 private:
  double begin_s_ = monotonic_time_s();
};
/// Blocks the calling thread until the date `date_s` (seconds, on the clock of monotonic_time_s());
/// returns at once when it has passed. Sets the timer slack of the thread to 1 ns for good, so that
/// it wakes up on time. `date_s` must be finite and at least 0 (not checked).
void sleep_until(double date_s);

}  // namespace starport
