// The monotonic clock of the system.
#pragma once

namespace starport {

/// Returns the monotonic time in seconds since an unspecified date. Its zero is the same in all
/// processes of one machine, so that dates can be compared between them.
double monotonic_time_s();
/// Measures the time in seconds since its construction.
class Stopwatch {
 public:
  double elapsed_s() const { return monotonic_time_s() - begin_s_; }

 private:
  double begin_s_ = monotonic_time_s();
};
/// Sleeps until the date `date_s` of monotonic_time_s(), or not at all when it has passed. Sets the
/// timer slack of the calling thread to 1 ns, so that it wakes up on time.
void sleep_until(double date_s);

}  // namespace starport
