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

inline constexpr int kHub = 0;  ///< number of the memory node that initially holds every tile

/// A processing unit that runs one task at a time: a CPU worker or a GPU.
struct Worker {
  int node = kHub;                      ///< memory node that it computes in
  double update_s = 0;                  ///< nominal duration of an update task, seconds
  std::optional<double> reduction_s{};  ///< nominal duration of a reduction task, if known
  int number = 0;                       ///< index in the platform file, from 0
};

/// The link between the hub and one GPU, and the memory of that GPU. Its two directions are
/// independent.
struct Link {
  double latency_s = 0;
  double in_s = 0;   ///< time to move one tile from the hub, without latency
  double out_s = 0;  ///< time to move one tile to the hub, without latency
  std::optional<std::int64_t> memory_tiles{};  ///< capacity of the GPU's memory; unlimited if empty

  bool operator==(const Link&) const = default;
};

/// A machine with one hub (node 0) and one memory node per GPU; node m > 0 is behind links[m - 1].
/// The workers of the hub come first in `workers`.
struct Platform {
  std::string name{};
  std::vector<Worker> workers{};
  std::vector<Link> links{};
  double start_up_s = 0;  ///< date at which the run-time system pushes the first task

  int nodes() const { return static_cast<int>(links.size()) + 1; }
  const Link& link(int node) const { return links[static_cast<std::size_t>(node - 1)]; }
  const Worker& worker(int number) const { return workers[static_cast<std::size_t>(number)]; }
};

/// Returns the nominal duration in seconds of an update or a reduction task on `worker`. Throws
/// std::bad_optional_access for a reduction if the worker has no `reduction_s`.
inline double task_time_s(const Worker& worker, bool reduction) {
  return reduction ? worker.reduction_s.value() : worker.update_s;
}

/// Returns the total speed of the workers of each memory node, in tasks per second; 0 for a hub
/// without workers.
std::vector<double> node_speeds(const Platform& platform);

/// Returns the latency in seconds of a transfer between two different nodes. Between two GPUs it is
/// the larger of the latencies of their links.
inline double transfer_latency_s(const Platform& platform, int from, int to) {
  if (from == kHub) return platform.link(to).latency_s;
  if (to == kHub) return platform.link(from).latency_s;
  return std::max(platform.link(from).latency_s, platform.link(to).latency_s);
}

/// Returns the nominal duration in seconds of moving one tile between two different nodes, latency
/// included. Between two GPUs the slower of their links determines it.
inline double transfer_time_s(const Platform& platform, int from, int to) {
  const double in_s = to == kHub ? 0 : platform.link(to).in_s;
  const double out_s = from == kHub ? 0 : platform.link(from).out_s;
  return transfer_latency_s(platform, from, to) + std::max(in_s, out_s);
}

/// Converts a platform file for tiles of q x q elements. A worker that shares the master's memory
/// becomes a CPU worker, any other worker a GPU with its own node. Throws InputError if the file
/// has too many workers, gives raw figures for another block size than q, or if its durations
/// differ by a factor of more than 10^12.
Platform make_platform(const PlatformFile& file, std::int64_t q);

}  // namespace starport::tiles
