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

/// Creates the counters in shared memory. Collective over `group`, whose rank numbers `notify`
/// takes. Must be called once before any other function here.
void initialize(MPI_Comm group);
/// Frees the counters. Collective over the group of `initialize`, before MPI is finalised.
void finalize();

/// Increments the counter of `rank` and wakes it up. Does nothing for a rank of another machine.
/// Call it after the message has been sent.
void notify(int rank);
/// Increments the counter of this rank and wakes it up; for another thread of the same rank.
void notify_self();
/// Returns the counter of this rank, between initialize() and finalize(). Whatever was sent before
/// the last notification can be received. Always 0 under SMPI.
std::uint32_t notification_count();
/// Sleeps until the counter of this rank differs from `seen_count`, for at most `timeout_s`
/// seconds.
void wait(std::uint32_t seen_count, double timeout_s);
/// Returns true if all ranks are on this machine, so that every message comes with a notification.
/// Large messages still need both ranks to poll while they are being transferred.
bool covers_all_ranks();

}  // namespace starport::mpi::wakeup
