// The cores that the threads of a rank run on.
#pragma once

#include <sched.h>

#include <optional>

namespace starport::mpi {

/// The cores that rank 0 assigns to one rank. Without an assignment its threads run anywhere.
struct CoreAssignment {
  bool core_per_thread = false;  ///< each thread on the machine has a core to itself
  cpu_set_t computing{};         ///< cores of the computing thread; empty: any core
  cpu_set_t communicating{};     ///< cores of the communicating thread; empty: any core

  /// Returns true if the communicating threads have cores on which no thread computes.
  bool has_reserved_cores() const { return CPU_COUNT(&communicating) > 0; }
};

/// Pins the calling thread to some cores for the lifetime of the object, then restores its previous
/// affinity. Does nothing if `cores` is empty or the system refuses. Must be destroyed by the
/// thread that created it.
class ScopedAffinity {
 public:
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

}  // namespace starport::mpi
