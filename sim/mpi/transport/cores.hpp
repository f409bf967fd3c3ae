// The cores that the threads of a rank run on.
#pragma once

#include <sched.h>

#include <optional>

namespace starport::mpi {

/// The cores of the machine that rank 0 assigns to one rank. Default-constructed, the threads of
/// the rank run on any core.
struct CoreAssignment {
  /// True if each thread of all ranks on the machine has a core to itself, so that polling without
  /// sleeping delays nobody.
  bool core_per_thread = false;
  /// Cores that the computing thread is pinned to; empty: any core.
  cpu_set_t computing{};
  /// Cores that the communicating thread is pinned to; empty: any core.
  cpu_set_t communicating{};

  /// Returns true if the communicating thread is pinned to cores (`communicating` is not empty), on
  /// which no thread of the ranks computes.
  bool has_reserved_cores() const { return CPU_COUNT(&communicating) > 0; }
};

/// Pins the calling thread to some cores for the lifetime of the object; the destructor restores
/// the thread's previous affinity. Must be destroyed by the thread that created it.
class ScopedAffinity {
 public:
  /// Pins the calling thread to `cores`. Does nothing, without an error, if `cores` is empty, if
  /// the system refuses, or under SMPI.
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
