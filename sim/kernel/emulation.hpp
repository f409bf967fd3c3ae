// Emulation of unequal workers on equal machines (option --unequal).
#pragma once

#include "sim/platform/per_worker.hpp"

#include <cstddef>
#include <limits>
#include <string_view>

namespace starport {

/// The slow-down of an emulated worker against its machine: each computation is followed by a
/// sleep that makes it last as long as it should.
struct Emulation {
  double slowdown = 1;  ///< factor on all durations; at least 1
  /// Memory in bytes; a worker that holds f > 1 times as much takes another 1 + paging (f - 1)
  /// times as long.
  double memory_bytes = std::numeric_limits<double>::infinity();
  double paging = 0;

  /// Returns the factor on durations of a worker that holds `bytes` bytes of A, B and C.
  double factor(double bytes) const;
};

/// Settings of one worker of a real run.
struct WorkerSettings {
  int threads = 1;  ///< threads of its dgemm
  Emulation emulation = {};
};

/// Returns the settings of `workers` workers with `threads` threads each, changed by the items of
/// `text`, the value of --unequal. In
///   threads=1:2,slow=2:2.5,paging=3:24MiB:10
/// worker 1 has two threads, worker 2 takes 2.5 times as long, and worker 3 has 24 MiB of memory
/// and takes 1 + 10 (f - 1) times as long when it holds f > 1 times that. Throws InputError.
PerWorker<WorkerSettings> parse_unequal_workers(std::size_t workers, int threads,
                                                std::string_view text);

}  // namespace starport
