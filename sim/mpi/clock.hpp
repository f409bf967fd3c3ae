// The time of a rank: that of the system, or the simulated one under SMPI.
#pragma once

namespace starport::mpi {

/// Seconds from some date in the past; the same on all ranks of one machine.
double clock_s();
/// Returns at that date, or at once when it is over.
void sleep_until(double date_s);

/// Waiting for something that is not an event of the operating system: between two looks, sleeps a
/// tenth of the time waited so far, from 2 to 200 us, so that ranks that share a core leave it to
/// each other.
///
/// Blocks on their way need both their ranks to look all the time: `busy` does not sleep for the
/// first 50 ms. (Paced runs need no haste.)
class Patience {
 public:
  explicit Patience(bool busy = false) : begin_s_(clock_s()), busy_(busy) {}
  void pause();
  double waited_s() const { return clock_s() - begin_s_; }

 private:
  double begin_s_;
  bool busy_;
};

/// Looks until the condition holds. False when that takes longer than the time-out.
template <class Condition>
bool holds_within(double time_out_s, Condition condition) {
  for (Patience patience; !condition(); patience.pause()) {
    if (patience.waited_s() > time_out_s) return false;
  }
  return true;
}

}  // namespace starport::mpi
