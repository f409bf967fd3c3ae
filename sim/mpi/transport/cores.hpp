// The cores that the threads of a rank have.
#pragma once

#include <sched.h>

#include <optional>

namespace starport::mpi {

struct Cores {
  bool spare = false;         ///< each thread on the machine has one
  cpu_set_t computing{};      ///< that the thread that computes keeps to; empty: any
  cpu_set_t communicating{};  ///< and the one that communicates

  /// Nobody computes where it communicates.
  bool apart() const { return CPU_COUNT(&communicating) > 0; }
};

/// The thread that makes it keeps to those cores, if there are any, as long as it lasts.
class KeptToCores {
 public:
  explicit KeptToCores(const cpu_set_t& cores) {
#ifndef STARPORT_SMPI
    cpu_set_t before;
    if (CPU_COUNT(&cores) == 0 || ::sched_getaffinity(0, sizeof before, &before) != 0) return;
    if (::sched_setaffinity(0, sizeof cores, &cores) == 0) before_ = before;
#endif
  }
  KeptToCores(const KeptToCores&) = delete;
  KeptToCores& operator=(const KeptToCores&) = delete;
  ~KeptToCores() {
    if (before_) ::sched_setaffinity(0, sizeof *before_, &*before_);
  }

 private:
  std::optional<cpu_set_t> before_;
};

}  // namespace starport::mpi
