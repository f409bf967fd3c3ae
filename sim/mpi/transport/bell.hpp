// Waking a rank when something has come for it.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace starport::mpi::bell {

// MPI tells of arrivals only to who looks. One that looks all the time takes the core that another
// thread computes on, one that sleeps between its looks comes late. So the ranks of one machine
// share a word each, which whoever sends to a rank increases, and on which the rank sleeps. A rank
// of another machine, and under SMPI every rank, is left to look now and then.

/// By all ranks of the group, which others have numbers in, and before it ends.
void hang_up(MPI_Comm group);
void take_down();

/// The rank wakes up, if it is on this machine; may be this one, by another thread.
void ring(int rank);
void ring_here();
/// How often this rank has been rung for. What has been sent is there before the bell rings.
std::uint32_t rings();
/// Sleeps until that is another number, or for that time.
void wait(std::uint32_t heard, double seconds);
/// Whether all ranks are on this machine: nothing arrives without the bell, but what two ranks
/// still exchange for a message that is on its way.
bool reaches_all();

}  // namespace starport::mpi::bell
