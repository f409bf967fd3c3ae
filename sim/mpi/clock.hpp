// The time of a rank: that of the system, or the simulated one under SMPI.
#pragma once

namespace starport {

/// Seconds from some date in the past; the same on all ranks of one machine.
double clock_s();
/// Returns at that date, or at once when it is over.
void sleep_until(double date_s);

/// Waiting for something that is not an event of the operating system: between two looks, sleeps a
/// tenth of the time waited so far, from 2 to 200 us, so that ranks that share a core leave it to
/// each other.
class Patience {
 public:
  Patience() : begin_s_(clock_s()) {}
  void pause();
  double waited_s() const { return clock_s() - begin_s_; }

 private:
  double begin_s_;
};

}  // namespace starport
