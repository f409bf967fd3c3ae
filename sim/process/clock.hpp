// The time of the system.
#pragma once

namespace starport {

/// Seconds from some date in the past; the same in all processes of one machine.
double clock_s();
/// Since it was made.
class Stopwatch {
 public:
  double elapsed_s() const { return clock_s() - begin_s_; }

 private:
  double begin_s_ = clock_s();
};
/// Returns at that date, or at once when it is over.
void sleep_until(double date_s);

}  // namespace starport
