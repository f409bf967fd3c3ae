// The clock of a rank, and waiting by polling.
#pragma once

#include "sim/mpi/transport/cores.hpp"
#include "sim/mpi/transport/wakeup.hpp"

#include <cstdint>

namespace starport::mpi {

/// Returns the time in seconds since an arbitrary origin, which is the same for all ranks of one
/// machine. Under SMPI it is the simulated time.
double monotonic_time_s();
/// Sleeps until monotonic_time_s() reaches `date_s`; returns at once if it already has.
void sleep_until(double date_s);

/// Sets the cores of this rank, which decide how long a Backoff polls without sleeping. Without a
/// call, it sleeps from the first pause on.
void set_polling_cores(const CoreAssignment& cores);

/// The polling frequency of a waiting rank. A transfer of blocks may only proceed while both its
/// ranks poll (eager); anything else comes with a notification (relaxed; see wakeup.hpp).
enum class Polling : std::uint8_t { relaxed, eager };

/// Paces a loop that polls for something that another rank or thread does. With cores of its own
/// (set_polling_cores), the rank first polls without sleeping; then each pause() sleeps for a share
/// of the time waited so far, and ends early when this rank is notified.
class Backoff {
 public:
  explicit Backoff(Polling polling = Polling::relaxed)
      : start_s_(monotonic_time_s()),
        seen_count_(wakeup::notification_count()),
        polling_(polling) {}
  /// Waits before the next poll, at most 2 ms: not at all at first, then ever longer, but only
  /// until a notification. Call once after each poll that found nothing.
  void pause();
  /// Returns the seconds since the construction.
  double elapsed_s() const { return monotonic_time_s() - start_s_; }

 private:
  double start_s_;
  std::uint32_t seen_count_;  ///< notifications before the last poll
  Polling polling_;
};

/// Polls `condition` until it returns true. Returns false if that takes more than `timeout_s`
/// seconds.
template <class Condition>
bool poll_until(double timeout_s, Condition condition) {
  for (Backoff backoff; !condition(); backoff.pause()) {
    if (backoff.elapsed_s() > timeout_s) return false;
  }
  return true;
}

}  // namespace starport::mpi
