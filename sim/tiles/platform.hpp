// The platform of the tile model: one machine with GPUs, seen as a star. Main memory is the hub and
// is shared by the CPU workers; each GPU is a memory node behind its own link (ICPP'18, section
// 4.1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {
struct PlatformFile;
}  // namespace starport

namespace starport::tiles {

/// Number of the hub, i.e. main memory, among the memory nodes; it initially holds every tile. GPUs
/// are the nodes from 1 on.
inline constexpr int kHub = 0;

/// A processing unit of the tile model that runs one task on tiles (square blocks of matrices) at a
/// time: a CPU worker or a GPU. An element of Platform::workers.
struct Worker {
  /// Memory node in which the worker computes: kHub (main memory) for a CPU worker, from 1 on for a
  /// GPU.
  int node = kHub;
  /// Nominal duration in seconds of one update task (C_ij += A_ik . B_kj on tiles) on this worker;
  /// must be positive.
  double update_s = 0;
  /// Nominal duration in seconds of one reduction task (the addition of two tiles) on this worker;
  /// empty if the platform file gives no memory bandwidth for the worker.
  std::optional<double> reduction_s{};
  /// Coefficient of variation (standard deviation over mean) of the duration of an update task,
  /// measured on updates of a single block of C at the block size in the platform file that is
  /// nearest to the tile size; empty if the file gives none.
  std::optional<double> update_cv{};
  /// Index of the worker in the platform file, from 0. Platform::workers has another order.
  int number = 0;
};

/// The link between main memory and one GPU: its latency and its times per tile in each direction,
/// in seconds, and the size of that GPU's memory in tiles. Each direction carries one transfer at a
/// time, independently of the other unless both share a bus (Platform::shared_lines). An element of
/// Platform::links.
struct Link {
  /// Latency in seconds that every transfer of a tile over the link takes in addition to `in_s` or
  /// `out_s`.
  double latency_s = 0;
  /// Nominal time in seconds to move one tile from main memory to the GPU, without the latency.
  double in_s = 0;
  /// Nominal time in seconds to move one tile from the GPU to main memory, without the latency.
  double out_s = 0;
  /// Capacity of the GPU's memory in tiles (square blocks of a matrix); empty: unlimited.
  std::optional<std::int64_t> memory_tiles{};

  bool operator==(const Link&) const = default;
};

/// A bandwidth that the transfers over it share max-min fairly (see BusSharing): that of one
/// direction of a bus, or of both directions together. An element of Platform::shared_lines.
struct SharedLine {
  /// Name for messages: that of the bus, followed by " down" if the bandwidth is that of the
  /// direction to the GPUs, by " up" if to main memory, and by nothing if of both together.
  std::string name{};
  /// Seconds per tile at the full bandwidth; above 0.
  double tile_s = 0;
};

/// Route of a tile from one memory node to another: latency, time, and the shared bandwidths
/// (SharedLine) that the tile uses. An element of Platform::routes.
struct Route {
  /// Latency in seconds, before the tile begins to move: the transfer occupies its link directions
  /// meanwhile, but uses no shared bandwidth yet.
  double latency_s = 0;
  /// Nominal time in seconds to move the tile at the full speed of its links, without the latency;
  /// a slower shared bandwidth (`lines`) makes it longer, even if no other transfer uses it.
  double tile_s = 0;
  /// Indices, from 0, in Platform::shared_lines of the bandwidths that the transfer shares with
  /// others; empty if it shares none.
  std::vector<std::int32_t> lines{};
};

/// The machine of the tile model: one hub (main memory, node 0) shared by the CPU workers, and one
/// memory node per GPU. Memory node m >= 1 is behind links[m - 1]. Durations hold for one tile
/// size. A plain value, which make_platform() makes.
struct Platform {
  /// Name of the machine, from the platform file.
  std::string name{};
  /// CPU workers (of main memory) first, then GPUs, each in the order of the platform file. An
  /// index into this list, from 0, is the worker number of this model.
  std::vector<Worker> workers{};
  /// Links of the GPUs: links[m - 1] leads from main memory to the GPU that is memory node m.
  std::vector<Link> links{};
  /// Simulated date in seconds at which the run-time system starts, i.e. hands the first tasks to
  /// the scheduling strategy.
  double start_up_s = 0;
  /// Time in seconds that the run-time system takes on the worker for each task, in addition to the
  /// task itself. Strategies do not take it into account, as StarPU's do not.
  double task_overhead_s = 0;
  /// Bandwidths that transfers share, as seconds per tile (SharedLine::tile_s); empty if links
  /// share nothing.
  std::vector<SharedLine> shared_lines{};
  /// Routes between memory nodes: element from * nodes() + to; from a node to itself it is
  /// meaningless. Empty if the platform file has no buses and no links between GPUs;
  /// Platform::links alone then gives the durations.
  std::vector<Route> routes{};

  /// Returns the route of a tile between two different memory nodes (0: main memory, from 1: GPUs),
  /// a reference into `routes`, which must not be empty. Nodes that do not exist are undefined
  /// behaviour; from a node to itself the result is meaningless.
  const Route& route(int from, int to) const {
    return routes[static_cast<std::size_t>(from) * (links.size() + 1) +
                  static_cast<std::size_t>(to)];
  }
  /// Returns the number of memory nodes, main memory and the GPUs: one more than the number of
  /// GPUs.
  int nodes() const { return static_cast<int>(links.size()) + 1; }
  /// Returns the link of the GPU that is memory node `node`, a reference into `links`. `node` must
  /// be at least 1 and less than nodes(); otherwise the behaviour is undefined.
  const Link& link(int node) const { return links[static_cast<std::size_t>(node - 1)]; }
  /// Returns workers[number], `number` from 0 (not Worker::number), as a reference into `workers`;
  /// a number out of range is undefined behaviour.
  const Worker& worker(int number) const { return workers[static_cast<std::size_t>(number)]; }
};

/// Returns the nominal duration in seconds of one task on `worker`: of a reduction task (addition
/// of two tiles) if `reduction` is true, otherwise of an update task (C_ij += A_ik . B_kj). Throws
/// std::bad_optional_access for a reduction if the worker has no `reduction_s`.
inline double task_time_s(const Worker& worker, bool reduction) {
  return reduction ? worker.reduction_s.value() : worker.update_s;
}

/// Returns for each memory node (0: main memory, from 1: GPUs) the total speed of its workers in
/// update tasks (C_ij += A_ik . B_kj on tiles) per second; 0 for a node without workers. Each
/// Worker::node must be less than nodes() (undefined behaviour otherwise).
std::vector<double> node_speeds(const Platform& platform);

/// Returns the latency in seconds of a transfer from memory node `from` to memory node `to` (0:
/// main memory, from 1: GPUs). Between two GPUs it is that of the link between them if the platform
/// file has one, otherwise the larger of the latencies of their links to main memory. Requires two
/// different nodes of the platform; otherwise the behaviour is undefined.
inline double transfer_latency_s(const Platform& platform, int from, int to) {
  if (!platform.routes.empty()) return platform.route(from, to).latency_s;
  if (from == kHub) return platform.link(to).latency_s;
  if (to == kHub) return platform.link(from).latency_s;
  return std::max(platform.link(from).latency_s, platform.link(to).latency_s);
}

/// Returns the nominal duration in seconds of moving one tile from memory node `from` to memory
/// node `to` (0: main memory, from 1: GPUs) at the full speed of its links, latency included;
/// ignores shared bandwidths (Platform::shared_lines), which can make it longer. Between two GPUs
/// it is that of the link between them if the platform file has one, otherwise the larger latency
/// of their links to main memory plus the longer of the times to move the tile out of `from` and
/// into `to`. Requires two different nodes of the platform; otherwise the behaviour is undefined.
inline double transfer_time_s(const Platform& platform, int from, int to) {
  if (!platform.routes.empty()) {
    const Route& route = platform.route(from, to);
    return route.latency_s + route.tile_s;
  }
  const double in_s = to == kHub ? 0 : platform.link(to).in_s;
  const double out_s = from == kHub ? 0 : platform.link(from).out_s;
  return transfer_latency_s(platform, from, to) + std::max(in_s, out_s);
}

/// Converts a platform file to a machine of the tile model, with durations for square tiles of q x
/// q elements of 8 bytes, q >= 1 (not checked). A worker that shares the master's memory becomes a
/// CPU worker in main memory, any other worker a GPU with a memory node of its own, in the order of
/// the file. For a worker with measured speeds of updates of single blocks of C (speed function),
/// these give the duration of updates, unless the file gives its durations per block (c_s, w_s):
/// the speed is interpolated linearly between block sizes, and beyond them that of the nearest one.
/// A file for floats is converted to doubles first (convert_to_doubles()). Throws InputError with
/// the path of the file if it has more than 100 000 workers, if it has more than 500 GPUs together
/// with buses or links between GPUs, if it gives durations per block for another block size than q,
/// or if any two durations of updates or of transfers of a tile differ by a factor of more than
/// 10^12. A file without workers gives a platform without workers.
Platform make_platform(const PlatformFile& file, std::int64_t q);

}  // namespace starport::tiles
