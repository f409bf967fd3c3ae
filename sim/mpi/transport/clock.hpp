// The clock of a rank, and waiting: by polling, and by sleeping until another rank wakes this one.
//
// MPI reports a message only to a rank that polls for it. A rank that polls all the time takes a
// core from a thread that computes; a rank that sleeps between polls reacts late. Therefore the
// ranks of one machine share a notification counter each. A sender increments the counter of the
// receiver, which sleeps on it (a futex). Ranks of other machines cannot be notified. A rank that
// is the only one of its machine sleeps until data arrives on one of its TCP connections to other
// hosts; without such connections, or beside ranks of the same machine, it has to poll. Under SMPI
// no rank can be notified.
#pragma once

#include "sim/mpi/transport/cores.hpp"

#include <mpi.h>

#include <cstdint>

namespace starport::mpi::wakeup {

/// Creates in shared memory the notification counters of the ranks of this machine: one per rank,
/// on which it sleeps until another rank increments it. Collective: all ranks of `group` must call
/// it, in an initialised MPI, and it blocks until they have. notify() takes rank numbers of
/// `group`. Must be called before any other function of the namespace wakeup, and not again before
/// finalize(); Communicator does so. An error of MPI ends the program. Does nothing under SMPI
/// (SimGrid's simulator of MPI).
void initialize(MPI_Comm group);
/// Frees the notification counters of the ranks of this machine. Collective over the group of
/// initialize(), before MPI is finalised; blocks until all ranks of this machine have called it. No
/// other function of the namespace wakeup may be called afterwards, until the next initialize().
/// Does nothing under SMPI (SimGrid's simulator of MPI).
void finalize();

/// Increments the notification counter of `rank` (from 0) and wakes up its threads in wait(). Does
/// nothing for a rank of another machine and under SMPI (SimGrid's simulator of MPI). Call it after
/// the message has been sent, between initialize() and finalize(), for a rank of the group (not
/// checked: undefined behaviour otherwise). For the calling rank, call notify_self() instead: this
/// function may not wake it up.
void notify(int rank);
/// Increments the notification counter of this rank and wakes up its threads in wait(). Any thread
/// of the rank may call it, e.g. the computing thread to wake up the communicating one, between
/// initialize() and finalize() (undefined behaviour otherwise). Does nothing under SMPI (SimGrid's
/// simulator of MPI).
void notify_self();
/// Returns the number of notifications that this rank has received since initialize(), modulo 2^32.
/// Messages that a rank sent before it notified this one can be received. Call it between
/// initialize() and finalize() (undefined behaviour otherwise). Always 0 under SMPI (SimGrid's
/// simulator of MPI).
std::uint32_t notification_count();
/// Blocks the calling thread until the notification counter of this rank differs from `seen_count`,
/// a value of notification_count(), for at most `timeout_s` seconds (at least 0 and finite, not
/// checked); returns at once if it already differs. May return early without a notification. If all
/// other ranks are on other machines, data on a TCP connection to another host ends it too, and
/// `seen_count` is ignored: a notification that has already ended another wait() does not end this
/// one. Call it between initialize() and finalize() (undefined behaviour otherwise). Under SMPI
/// (SimGrid's simulator of MPI) it always sleeps for `timeout_s` simulated seconds.
void wait(std::uint32_t seen_count, double timeout_s);
/// Returns true if messages usually end wait(): all ranks are on this machine, or this rank is the
/// only one of its machine and has a TCP connection to another host. Messages over another network,
/// or on a connection less than 0.1 s old, are noticed when wait() times out. Large messages still
/// need both ranks to poll while they are being transferred. Always false under SMPI (SimGrid's
/// simulator of MPI). Call it between initialize() and finalize().
bool messages_end_waits();

}  // namespace starport::mpi::wakeup

namespace starport::mpi {

/// Returns the wall-clock time in seconds since an arbitrary origin, which is the same for all
/// ranks of one machine but not of different machines. Never decreases. In a program built for SMPI
/// (SimGrid's simulator of MPI) it is the simulated time since the start.
double monotonic_time_s();
/// Blocks the calling thread until monotonic_time_s() reaches `date_s` (seconds, finite, not
/// checked); returns at once if it already has. Notifications do not end it.
void sleep_until(double date_s);

/// Sets the cores of this process, which decide how long every later Backoff polls without
/// sleeping: up to 50 ms with a core for each thread, else up to 20 ms with cores reserved for
/// communication, else not at all (also the default). `cores` is copied. Does not pin threads. Not
/// thread-safe: call it while no thread waits in a Backoff. Has no effect under SMPI (SimGrid's
/// simulator of MPI).
void set_polling_cores(const CoreAssignment& cores);

/// The polling frequency of a waiting rank once it sleeps between polls. `eager`: it polls every 5
/// to 50 us, as a transfer of blocks needs, which may only proceed while both its ranks poll.
/// `relaxed`: it polls less often, at least every 2 ms, or every 100 us where messages do not end
/// its sleep (wakeup::messages_end_waits()). Makes no difference under SMPI (SimGrid's simulator of
/// MPI).
enum class Polling : std::uint8_t { relaxed, eager };

/// Back-off (waiting time between polls) of a loop that polls for something that another rank or
/// thread does, as in `for (Backoff backoff; !is_done(); backoff.pause()) {}`. With cores of its
/// own or reserved for communication (set_polling_cores()), the rank first polls without sleeping,
/// for up to 50 or 20 ms; otherwise it sleeps from the first pause() on. Each sleep lasts a share
/// of the time waited so far, at most 2 ms, and ends early when this rank is notified. One object
/// serves one wait of one thread: make a new one for the next wait. A Communicator must exist
/// (undefined behaviour otherwise), since it creates the notification counters.
class Backoff {
 public:
  /// Starts a wait for something that another rank or thread does: its duration counts from now,
  /// and `polling` is how long it sleeps at a time: at most 2 ms (`relaxed`) or 50 us (`eager`);
  /// under SMPI (SimGrid's simulator of MPI) at most 200 us of simulated time with either. A
  /// Communicator must exist; otherwise the behaviour is undefined.
  explicit Backoff(Polling polling = Polling::relaxed)
      : start_s_(monotonic_time_s()),
        seen_count_(wakeup::notification_count()),
        polling_(polling) {}
  /// Waits before the next poll; call it once after each poll that found nothing. In the first 50
  /// ms of the wait with a core for each thread, or 20 ms with cores reserved for communication
  /// (set_polling_cores()), it does not sleep. Otherwise calls sleep longer and longer, for at most
  /// 2 ms each (50 us if eager); a sleep ends early when another rank of this machine, or another
  /// thread of this rank, notifies this rank (wakeup::notify(), wakeup::notify_self()). Under SMPI
  /// (SimGrid's simulator of MPI) each call sleeps, for at most 200 us of simulated time.
  void pause();
  /// Returns the seconds since the start of the wait (construction): wall-clock time, or simulated
  /// time under SMPI, SimGrid's simulator of MPI.
  double elapsed_s() const { return monotonic_time_s() - start_s_; }

 private:
  double start_s_;
  std::uint32_t seen_count_;  ///< notifications before the last poll
  Polling polling_;
};

/// Blocks and calls `condition()` again and again, with pauses of at most 2 ms (Backoff), until it
/// returns true; then returns true. Returns false if that takes more than `timeout_s` seconds
/// (infinity: no limit); `condition` is called at least once even if `timeout_s` is 0. Exceptions
/// of `condition` are passed on. A Communicator must exist; otherwise the behaviour is undefined.
template <class Condition>
bool poll_until(double timeout_s, Condition condition) {
  for (Backoff backoff; !condition(); backoff.pause()) {
    if (backoff.elapsed_s() > timeout_s) return false;
  }
  return true;
}

}  // namespace starport::mpi
