// Executes one tiled product with StarPU in this process.
#pragma once

#include "sim/starpu/execution/real_trace.hpp"
#include "sim/starpu/policy/machine.hpp"
#include "sim/starpu/policy/policy.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace starport::starpu {

/// Description of this machine as StarPU finds it: numbers of CPU workers, of device workers and of
/// devices, and the smallest memory of a device in bytes, not that of each. The result of
/// find_machine_of_starpu(); a plain value.
struct FoundMachine {
  /// Number of workers that compute on CPU cores in main memory and can update tiles; CPUs that are
  /// OpenCL devices count as devices.
  std::int64_t cpu_workers = 0;
  /// Number of workers that compute on devices with a memory of their own and can update tiles.
  std::int64_t device_workers = 0;
  /// Number of devices with a memory of their own, such as GPUs; each has one or more of the device
  /// workers.
  std::int64_t devices = 0;
  /// Smallest memory of a device in bytes, as far as StarPU may use it. Devices whose memory is not
  /// known do not count; nullopt if there are no others.
  std::optional<double> smallest_memory_bytes{};
  /// True if the devices are taken to be CPUs, which copy tiles only between their tasks
  /// (starpu::devices_are_cpus()); may be true without devices.
  bool devices_are_cpus = false;
};

/// Starts StarPU in a child process and returns what it finds; blocks until then, for 600 s at
/// most. Only workers that can update tiles count; if StarPU has workers, but none that can, all
/// numbers are 0. Throws SimulationError if StarPU has no worker or cannot start, MachineError (a
/// SimulationError) after 600 s or if the child is killed or cannot be created. Call it from a
/// process with one thread, since it forks.
FoundMachine find_machine_of_starpu();

/// The input of execute_product(): a product in tiles of q x q doubles, the memory of its tiles,
/// and the policy that schedules it. Does not own the tiles.
struct RealProduct {
  /// Size r x s x t of the product in tiles: A has r x t tiles, B t x s, C r x s.
  tiles::ProductSize size;
  /// Side of a tile in matrix elements (doubles); at least 1.
  std::int64_t q = 0;
  /// First element of the tiles: those of A lie row by row, then those of B, then those of C
  /// (tiles::TileNumbering), the elements of each tile by rows. C is changed. Must not be null, and
  /// must live until execute_product() returns.
  double* tiles = nullptr;
  /// The policy: settings.algorithm is the strategy of the tile model that schedules; if it is
  /// null, StarPU's own policy called settings.name (empty: its default) does. execute_product()
  /// replaces `size`, `report` and `on_start` by its own.
  PolicySettings settings{};
};

/// Executes the product once with StarPU in this process and returns what was recorded of it. The
/// process must be a child of its own, since this sets environment variables, and StarPU aborts the
/// process on some failures. Before the product, without a record, each worker updates a tile of
/// other data, so that libraries are loaded, and each device fetches all tiles, so that it has
/// memory for them. Tiles of C return to main memory as soon as their last update has ended; blocks
/// until all have. Throws SimulationError if StarPU finds no worker that can update tiles, a device
/// fails, or the strategy does not schedule the product or has to use a default duration
/// (Machine::unknown), as it may if settings.durations is empty.
RecordedRun execute_product(const RealProduct& product);

/// Returns the memory in bytes that measure_updates() takes for its tiles of q x q doubles on
/// `workers` workers.
double measuring_bytes(std::int64_t workers, std::int64_t q);
/// Executes updates of tiles of q x q doubles (q at least 1, not checked) on all workers at once,
/// at least 15 on each, with StarPU in this process, which must be a child process of its own. If
/// the environment variable STARPU_CALIBRATE is 1 or 2, StarPU has stored their durations (model
/// starpu_dgemm_gemm) when this function returns. Throws SimulationError if StarPU finds no worker
/// or a device fails; measures nothing if no worker can update tiles.
void measure_updates(std::int64_t q);

/// Returns the names of the scheduling policies that the StarPU library contains, such as "dmdas",
/// in StarPU's order. StarPU need not run.
std::vector<std::string> starpu_policies();

}  // namespace starport::starpu
