// Workers that differ, by --unequal.
#pragma once

#include "sim/kernel/panel_kernel.hpp"
#include "sim/platform/per_worker.hpp"

#include <string_view>

namespace starport {

struct WorkerSettings {
  int threads = 1;  ///< of its dgemm
  Emulation emulation = {};
};

/// So many workers alike but for the items of `text`, such as
///   threads=1:2,slow=2:2.5,paging=3:24MiB:10
/// worker 1 has two threads, worker 2 takes 2.5 times as long, and worker 3 as if it had 24 MiB and
/// took 1 + 10 (f - 1) times as long when it holds f > 1 times that. Throws InputError.
PerWorker<WorkerSettings> unequal_workers(std::size_t workers, int threads, std::string_view text);

}  // namespace starport
