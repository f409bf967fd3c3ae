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

/// Number of the hub: main memory, the memory node that initially holds every tile. GPUs are the
/// nodes from 1 on.
inline constexpr int kHub = 0;

/// A processing unit of the tile model that runs one task at a time: a CPU worker or a GPU. An
/// element of Platform::workers.
struct Worker {
  /// Memory node in which the worker computes: kHub for a CPU worker, from 1 on for a GPU.
  int node = kHub;
  /// Nominal duration in seconds of an update task (C_ij += A_ik . B_kj); must be positive.
  double update_s = 0;
  /// Nominal duration in seconds of a reduction task (the addition of two tiles); empty if the
  /// platform file gives no memory bandwidth.
  std::optional<double> reduction_s{};
  /// Index of the worker in the platform file, from 0. Platform::workers has another order.
  int number = 0;
};

/// The link between the hub (main memory) and one GPU, and the memory of that GPU. Each direction
/// carries one transfer at a time, independently of the other.
struct Link {
  /// Latency in seconds that every transfer takes in addition to `in_s` or `out_s`.
  double latency_s = 0;
  /// Nominal time in seconds to move one tile from the hub to the GPU, without the latency.
  double in_s = 0;
  /// Nominal time in seconds to move one tile from the GPU to the hub, without the latency.
  double out_s = 0;
  /// Capacity of the GPU's memory in tiles; empty: unlimited.
  std::optional<std::int64_t> memory_tiles{};

  bool operator==(const Link&) const = default;
};

/// The machine of the tile model: one hub (main memory, node 0) shared by the CPU workers, and one
/// memory node per GPU. Node m >= 1 is behind links[m - 1]. Durations hold for one tile size.
/// make_platform() makes it; it refers to nothing.
struct Platform {
  /// Name from the platform file.
  std::string name{};
  /// Workers in an order in which those of the hub come first. An index into this list, from 0, is
  /// the worker number of this model.
  std::vector<Worker> workers{};
  /// Links of the GPUs: links[m - 1] leads to node m.
  std::vector<Link> links{};
  /// Simulated date in seconds at which the run-time system pushes the first tasks.
  double start_up_s = 0;

  /// Returns the number of memory nodes: one more than the number of GPUs.
  int nodes() const { return static_cast<int>(links.size()) + 1; }
  /// Returns the link of GPU `node`, which must be at least 1 and less than nodes(); otherwise the
  /// behaviour is undefined.
  const Link& link(int node) const { return links[static_cast<std::size_t>(node - 1)]; }
  /// Returns workers[number]; a number out of range is undefined behaviour.
  const Worker& worker(int number) const { return workers[static_cast<std::size_t>(number)]; }
};

/// Returns the nominal duration in seconds of one task on `worker`: of a reduction task if
/// `reduction` is true, otherwise of an update task. Throws std::bad_optional_access for a
/// reduction if the worker has no `reduction_s`.
inline double task_time_s(const Worker& worker, bool reduction) {
  return reduction ? worker.reduction_s.value() : worker.update_s;
}

/// Returns for each memory node, from the hub (0) on, the total speed of its workers in update
/// tasks per second; 0 for a node without workers. Each Worker::node must be less than nodes()
/// (undefined behaviour otherwise).
std::vector<double> node_speeds(const Platform& platform);

/// Returns the latency in seconds of a transfer from node `from` to node `to`. Between two GPUs it
/// is the larger of the latencies of their links. Requires two different nodes of the platform;
/// otherwise the behaviour is undefined.
inline double transfer_latency_s(const Platform& platform, int from, int to) {
  if (from == kHub) return platform.link(to).latency_s;
  if (to == kHub) return platform.link(from).latency_s;
  return std::max(platform.link(from).latency_s, platform.link(to).latency_s);
}

/// Returns the nominal duration in seconds of moving one tile from node `from` to node `to`,
/// latency included. Between two GPUs it is the larger latency of their links plus the longer of
/// the times to move the tile out of `from` and into `to`. Requires two different nodes of the
/// platform; otherwise the behaviour is undefined.
inline double transfer_time_s(const Platform& platform, int from, int to) {
  const double in_s = to == kHub ? 0 : platform.link(to).in_s;
  const double out_s = from == kHub ? 0 : platform.link(from).out_s;
  return transfer_latency_s(platform, from, to) + std::max(in_s, out_s);
}

/// Converts a platform file for square tiles of q x q elements of 8 bytes, q >= 1 (not checked). A
/// worker that shares the master's memory becomes a CPU worker of the hub, any other worker a GPU
/// with a memory node of its own, in the order of the file. A file for floats is converted to
/// doubles first (convert_to_doubles()). Throws InputError with the path of the file if it has more
/// than 100 000 workers, if it gives raw durations for another block size than q, or if durations
/// differ by a factor of more than 10^12. A file without workers gives a platform without workers.
Platform make_platform(const PlatformFile& file, std::int64_t q);

}  // namespace starport::tiles
