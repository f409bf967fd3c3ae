// Wakes a sleeping rank when a message has been sent to it.
//
// MPI reports a message only to a rank that polls for it. A rank that polls all the time takes a
// core from a thread that computes; a rank that sleeps between polls reacts late. Therefore the
// ranks of one machine share a notification counter each. A sender increments the counter of the
// receiver, which sleeps on it (a futex). Ranks of other machines cannot be notified and have to
// poll; under SMPI no rank can be notified.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace starport::mpi::wakeup {

/// Creates the notification counters of the ranks of this machine in shared memory. Collective: all
/// ranks of `group` must call it, in an initialised MPI. notify() takes rank numbers of `group`.
/// Must be called before any other function here; Communicator does so. Does nothing under SMPI.
void initialize(MPI_Comm group);
/// Frees the counters. Collective over the group of initialize(), before MPI is finalised. No other
/// function here may be called afterwards, until the next initialize().
void finalize();

/// Increments the counter of `rank` (from 0) and wakes up its threads in wait(). Does nothing for a
/// rank of another machine and under SMPI. Call it after the message has been sent. Requires a rank
/// of the group; others are out of bounds.
void notify(int rank);
/// Increments the counter of this rank and wakes up its threads in wait(). Any thread of the rank
/// may call it, e.g. the computing thread to wake up the communicating one. Does nothing under
/// SMPI.
void notify_self();
/// Returns the number of notifications of this rank since initialize(), modulo 2^32. Whatever was
/// sent before the last notification can be received. Call it between initialize() and finalize().
/// Always 0 under SMPI.
std::uint32_t notification_count();
/// Blocks until the counter of this rank differs from `seen_count`, a value of
/// notification_count(), for at most `timeout_s` seconds (at least 0). May return early without a
/// notification. Under SMPI it always sleeps for `timeout_s` simulated seconds.
void wait(std::uint32_t seen_count, double timeout_s);
/// Returns true if all ranks are on this machine, so that every message comes with a notification.
/// Large messages still need both ranks to poll while they are being transferred. Always false
/// under SMPI. Call it between initialize() and finalize().
bool covers_all_ranks();

}  // namespace starport::mpi::wakeup
