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

/// The workers and memories that StarPU finds on this machine.
struct FoundMachine {
  /// Number of CPU workers.
  std::int64_t cpu_workers = 0;
  /// Number of workers on devices with a memory of their own.
  std::int64_t device_workers = 0;
  /// Number of devices with a memory of their own.
  std::int64_t devices = 0;
  /// Smallest memory of a device in bytes, as StarPU may use it; nullopt without devices or a
  /// limit.
  std::optional<double> smallest_memory_bytes{};
  /// Result of starpu::devices_are_cpus(): true if tiles are copied only between tasks.
  bool devices_are_cpus = false;
};

/// Starts StarPU in a child process and returns what it finds. Throws SimulationError if StarPU
/// finds no worker or cannot start.
FoundMachine find_machine_of_starpu();

/// A product in tiles of q x q doubles, and the policy that schedules it.
struct RealProduct {
  /// Size of the product in tiles.
  tiles::ProductSize size;
  /// Side of a tile in elements.
  std::int64_t q = 0;
  /// The tiles of A, B and C one after the other, in the order of TileNumbering, each by rows. C is
  /// changed.
  double* tiles = nullptr;
  /// Strategy of the tile model; without an algorithm, the policy of StarPU called settings.name.
  PolicySettings settings{};
};

/// Executes the product with StarPU in this process, which must be a child process of its own,
/// since it sets environment variables, and StarPU ends some processes itself. Each worker first
/// updates a tile of no importance, so that libraries are loaded, and each device fetches all
/// tiles, so that it has memory for them. Tiles of C return to main memory as soon as their last
/// update has ended. Throws SimulationError if StarPU finds no worker, a device fails, or the
/// strategy does not schedule the product.
RecordedRun execute_product(const RealProduct& product);

/// Returns the memory in bytes that measure_updates() takes for its tiles on `workers` workers.
double measuring_bytes(std::int64_t workers, std::int64_t q);
/// Executes updates of tiles of q x q doubles on all workers at once with StarPU in this process,
/// which must be a child process of its own, until StarPU has measured all workers: with
/// STARPU_CALIBRATE set, it stores their durations when this function returns. Throws
/// SimulationError if StarPU finds no worker or a device fails.
void measure_updates(std::int64_t q);

/// Returns the names of StarPU's own policies.
std::vector<std::string> starpu_policies();

}  // namespace starport::starpu
