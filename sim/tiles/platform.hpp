// A node with GPUs as a star: main memory is the hub, the CPU workers share it, each GPU is a
// memory node behind its own link (ICPP'18, section 4.1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::tiles {

inline constexpr int kHub = 0;  ///< the memory node that holds every tile at first

struct Worker {
  int node = kHub;                      ///< whose memory it works in
  double update_s = 0;                  ///< of one task on three tiles
  std::optional<double> reduction_s{};  ///< of one task on two tiles, where it is known
  int number = 0;                       ///< in the platform file, from 0
};

/// The link of a GPU. Its two directions are independent.
struct Link {
  double latency_s = 0;
  double in_s = 0;   ///< to move one tile from the hub, latency not included
  double out_s = 0;  ///< to move one tile to the hub
  std::optional<std::int64_t> memory_tiles{};  ///< no limit unless given

  bool operator==(const Link&) const = default;
};

/// Workers of the hub come first. Node m > 0 is behind links[m - 1].
struct Platform {
  std::string name{};
  std::vector<Worker> workers{};
  std::vector<Link> links{};
  double start_up_s = 0;  ///< before the first task is pushed

  int nodes() const { return static_cast<int>(links.size()) + 1; }
  const Link& link(int node) const { return links[static_cast<std::size_t>(node - 1)]; }
  const Worker& worker(int number) const { return workers[static_cast<std::size_t>(number)]; }
};

/// Nominal. Reductions are for platforms whose workers know how long one takes.
inline double length_s(const Worker& worker, bool reduction) {
  return reduction ? worker.reduction_s.value() : worker.update_s;
}

/// Between GPUs, the slower of their links has its way.
inline double latency_s(const Platform& platform, int from, int to) {
  if (from == kHub) return platform.link(to).latency_s;
  if (to == kHub) return platform.link(from).latency_s;
  return std::max(platform.link(from).latency_s, platform.link(to).latency_s);
}

/// How long a tile takes between two nodes.
inline double hop_s(const Platform& platform, int from, int to) {
  const double in_s = to == kHub ? 0 : platform.link(to).in_s;
  const double out_s = from == kHub ? 0 : platform.link(from).out_s;
  return latency_s(platform, from, to) + std::max(in_s, out_s);
}

}  // namespace starport::tiles
