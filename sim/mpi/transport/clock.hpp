// The time of a rank: that of the system, or the simulated one under SMPI.
#pragma once

#include "sim/mpi/transport/bell.hpp"
#include "sim/mpi/transport/cores.hpp"

#include <cstdint>

namespace starport::mpi {

/// Seconds from some date in the past; the same on all ranks of one machine.
double clock_s();
/// Returns at that date, or at once when it is over.
void sleep_until(double date_s);

/// The cores that this rank has: where each thread has one, or those that communicate have some to
/// themselves, it may look all the time for what it waits for. Not unless it is said.
void look_from(const Cores& cores);

/// Waiting for something that another rank or thread does, which rings the bell (bell.hpp) when it
/// is there; and looking now and then all the same, ever less often.
///
/// Blocks on their way (`busy`) may need both their ranks to look, bell or not. Where each thread
/// has a core, one looks all the time for the first 50 ms, and for the first 20 where those that
/// communicate keep to cores apart, between the looks of the others: a core that sleeps takes its
/// time to wake up.
class Patience {
 public:
  explicit Patience(bool busy = false) : begin_s_(clock_s()), rings_(bell::rings()), busy_(busy) {}
  void pause();
  double waited_s() const { return clock_s() - begin_s_; }

 private:
  double begin_s_;
  std::uint32_t rings_;  ///< heard before the last look
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
