// The machine of the tile model that StarPU runs on, as its performance models describe it.
#pragma once

#include "sim/tiles/platform.hpp"

#include <starpu.h>

#include <span>
#include <string>
#include <vector>

namespace starport::starpu {

/// Machine on which StarPU executes a product: its workers and memory nodes as a platform of the
/// tile model, and StarPU's number of each. A plain value. Made by find_machine(), without
/// durations, which add_measured_durations() sets.
struct Machine {
  /// The machine as the strategies see it: CPU workers first, then those of devices; main memory is
  /// node 0, and each memory of a device is a node of its own. Durations are in seconds, for the
  /// tiles of one product; 0 until add_measured_durations() or a function of the user
  /// (PolicySettings::durations) has set them.
  tiles::Platform platform{};
  /// StarPU's number of each worker: workers[i] is that of worker i, from 0, of `platform`.
  std::vector<int> workers{};
  /// StarPU's number of each memory node: nodes[m] is that of memory node m of `platform` (0: main
  /// memory, from 1: devices).
  std::vector<unsigned> nodes{};
  /// Clause for a message that says that StarPU's models lack durations of tasks, so that a default
  /// is used; empty if they have all. Missing figures of links are not mentioned.
  std::string unknown{};
};

/// Returns those workers of `workers` (numbers of StarPU) that can execute `task`, CPU workers
/// first and otherwise in the given order, and their memory nodes. If none of them can, the result
/// has main memory and no workers. All durations, of tasks and of links, are 0, and memories are
/// unlimited. Workers in other memories of CPUs than main memory (NUMA) count as workers of main
/// memory. StarPU must run and have these workers, and `task` must not be null (not checked).
Machine find_machine(std::span<const int> workers, struct starpu_task* task);

/// Sets in `machine`, which find_machine() has made for the same `task`, the durations in seconds
/// of the task on each worker and of the transfers of a tile of `tile_bytes` bytes, from StarPU's
/// performance models of the bus and of the codelet; `context` is StarPU's number of the scheduling
/// context. Also sets how many such tiles the memory of each device can hold; memories of unknown
/// size are unlimited. Without a calibrated model of the codelet for each worker, all workers get
/// the same duration, 1 ms, and Machine::unknown says so. Where StarPU does not know the bandwidth
/// or the latency of a link, a tile takes 1 us or the latency is 0, without notice. StarPU must
/// run, and `task` must have its handles, since the models depend on the sizes of its data (neither
/// is checked).
void add_measured_durations(Machine& machine, struct starpu_task* task, double tile_bytes,
                            unsigned context);

/// Returns true if CPUs count as OpenCL devices: the environment variable STARPU_OPENCL_ON_CPUS is
/// a number above 0.
bool opencl_uses_cpus();
/// Returns true if all devices that StarPU has, if any, are taken to be CPUs: the environment makes
/// CPUs OpenCL devices (opencl_uses_cpus()), and StarPU has no CUDA worker. Such a device copies
/// tiles only while it runs no task, since the same core does both. Call it between starpu_init()
/// and starpu_shutdown().
bool devices_are_cpus();

}  // namespace starport::starpu
