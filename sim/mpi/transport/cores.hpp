// The cores that the threads of the ranks run on, and how they are assigned.
#pragma once

#include "sim/kernel/emulation.hpp"
#include "sim/platform/platform.hpp"

#include <sched.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

struct Host;

/// The cores of the machine that rank 0 assigns to the threads of one rank, as plan_cores() plans
/// them; a plain value. Default-constructed, the threads of the rank run on any core.
struct CoreAssignment {
  /// True if the machine has a core for each thread of all its ranks besides those that other
  /// programs keep busy (up to half a core is ignored), and a worker may use enough of them, so
  /// that polling without sleeping delays nobody.
  bool core_per_thread = false;
  /// Cores that the computing thread is pinned to; empty: any core.
  cpu_set_t computing{};
  /// Cores that the communicating thread is pinned to; empty: any core.
  cpu_set_t communicating{};

  /// Returns true if the communicating thread is pinned to cores (`communicating` is not empty), on
  /// which no thread of the ranks computes.
  bool has_reserved_cores() const { return CPU_COUNT(&communicating) > 0; }
};

/// Guard that pins the calling thread to some cores while it exists; the destructor restores the
/// thread's previous affinity. Must be destroyed by the thread that created it, in the reverse
/// order of creation.
class ScopedAffinity {
 public:
  /// Pins the calling thread to `cores`. Does nothing, without an error, if `cores` is empty, if
  /// the system refuses, or under SMPI (SimGrid's simulator of MPI).
  explicit ScopedAffinity(const cpu_set_t& cores) {
#ifndef STARPORT_SMPI
    cpu_set_t before;
    if (CPU_COUNT(&cores) == 0 || ::sched_getaffinity(0, sizeof before, &before) != 0) return;
    if (::sched_setaffinity(0, sizeof cores, &cores) == 0) before_ = before;
#endif
  }
  ScopedAffinity(const ScopedAffinity&) = delete;
  ScopedAffinity& operator=(const ScopedAffinity&) = delete;
  ~ScopedAffinity() {
    if (before_) ::sched_setaffinity(0, sizeof *before_, &*before_);
  }

 private:
  std::optional<cpu_set_t> before_;
};

/// Moves the calling thread for good into the control group (set of threads that share a limit of
/// the system, such as processor time) whose file of threads the environment variable
/// STARPORT_COMPUTING_GROUP names. Without that variable it does nothing. The threads that compute
/// call it, so that a group that limits a worker's computing leaves its communication fast. Throws
/// SimulationError if the file cannot be written.
void join_computing_group();

/// Returns the least duration of a block update, in seconds, that the environment variable
/// STARPORT_UPDATE_TIME gives, or 0 without that variable: an update that consists of n block
/// updates C_ij += A_ik B_kj then lasts at least n times as long, so that a fast core stands for a
/// slow worker. Throws SimulationError if the value is no number, negative or infinite.
double least_update_s();

/// The largest load of other programs, in busy cores per machine, that does not count as a
/// disturbance of a measurement or run.
inline constexpr double kToleratedLoad = 0.5;

/// The relation of communication and computation on a worker: `overlapped`, at the same time with a
/// thread for each, as on a star, or `alternating`, in turn in one thread, as in distributed
/// products.
enum class Overlap : std::uint8_t { overlapped, alternating };

/// Assignment of cores to the threads of the master and of each worker, and the reasons why these
/// cores will not give the predicted durations, if any. The result of plan_cores(); pins nothing.
struct CorePlan {
  /// One message for each reason (such as too few or busy cores) why durations will differ from the
  /// predicted ones, with a remedy and without a newline. Empty if there is none.
  std::vector<std::string> problems;
  /// Cores for the threads of each worker, by index from 0. The list is empty under SMPI (SimGrid's
  /// simulator of MPI), where threads are not pinned.
  PerWorker<CoreAssignment> workers;
  /// Cores for the communicating thread of the master: `communicating` names them, and `computing`
  /// is always empty. Both are empty, so that the thread may run on any core, where threads are not
  /// to be pinned, as under SMPI (SimGrid's simulator of MPI).
  CoreAssignment master;
};

/// Plans on which cores the threads of a master and its workers run, from the hosts that the ranks
/// have reported; `hosts` and `workers` have one element per worker, in the same order (not
/// checked: undefined behaviour otherwise). Pins nothing.
///
/// On a machine with fewer cores than threads, but more cores than threads that compute, each
/// thread that computes gets a core of its own, and those that communicate share the rest. This
/// requires that all ranks there may use the same cores, that no quota of processor time is less
/// than these cores, and that each worker there computes with one thread and communicates meanwhile
/// (Overlap::overlapped). Otherwise any thread may run on any core. Reported as problems, not as
/// exceptions: too few cores, cores that are busy, ranks bound to too few cores, and a BLAS that is
/// not made for the processor. Under SMPI (SimGrid's simulator of MPI) the plan is empty.
CorePlan plan_cores(const Host& master, const std::vector<Host>& hosts,
                    const PerWorker<WorkerSettings>& workers, Overlap overlap);

}  // namespace starport::mpi
