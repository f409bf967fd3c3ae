#include "sim/tiles/platform.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/platform_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <variant>
#include <vector>

namespace starport::tiles {
namespace {

// The run-time system looks at every worker after each task.
constexpr std::int64_t kMaxTileWorkers = 100'000;
// There is a route for each pair of memory nodes.
constexpr std::size_t kMaxRoutedGpus = 500;

/// Returns the duration in seconds of a task on tiles of q x q elements on a worker with the
/// measured sizes `samples`: those of one tile of C. Between two measured sides the speed changes
/// linearly with the side, and beyond them it is that of the nearest one. nullopt if no sample is
/// of one tile of C.
std::optional<double> measured_update_s(const std::vector<SpeedSample>& samples, std::int64_t q) {
  std::map<double, double> speeds;  // tasks per second of a tile of side 1, by side
  for (const SpeedSample& sample : samples) {
    if (sample.rows != 1 || sample.columns != 1) continue;
    const auto side = static_cast<double>(sample.block_size);
    speeds[side] = side * side * side * static_cast<double>(sample.inner) / sample.seconds;
  }
  if (speeds.empty()) return std::nullopt;
  const auto side = static_cast<double>(q);
  const auto above = speeds.lower_bound(side);
  double speed = above == speeds.end() ? speeds.rbegin()->second : above->second;
  if (above != speeds.end() && above != speeds.begin()) {
    const auto below = std::prev(above);
    const double share = (side - below->first) / (above->first - below->first);
    speed = below->second + share * (above->second - below->second);
  }
  return side * side * side / speed;
}

/// Returns the measured coefficient of variation of tasks on tiles of q x q elements: that of the
/// nearest side among the `samples` of one tile of C with a deviation; nullopt if there is none.
std::optional<double> measured_update_cv(const std::vector<SpeedSample>& samples, std::int64_t q) {
  const SpeedSample* nearest = nullptr;
  for (const SpeedSample& sample : samples) {
    if (sample.rows != 1 || sample.columns != 1 || !sample.deviation_s) continue;
    if (!nearest || std::abs(sample.block_size - q) < std::abs(nearest->block_size - q))
      nearest = &sample;
  }
  if (!nearest) return std::nullopt;
  return *nearest->deviation_s / nearest->seconds;
}

/// Converts the workers of a platform file to durations for tiles of q x q elements.
class FileConverter {
 public:
  FileConverter(const PlatformFile& file, std::int64_t q)
      : file_(file),
        q_(q),
        tile_bytes_(8 * static_cast<double>(q) * static_cast<double>(q)),
        update_flops_(2 * static_cast<double>(q) * static_cast<double>(q) *
                      static_cast<double>(q)) {}

  Worker worker(const PlatformFile::MemorySharing& sharing) const {
    return {.node = kHub,
            .update_s = update_flops_ / sharing.speed_flops,
            .reduction_s = reduction_s(sharing.memory_bandwidth_bytes_per_s)};
  }
  Worker worker(const PlatformFile::Physical& physical, int node) const {
    return {.node = node,
            .update_s = update_flops_ / physical.speed_flops,
            .reduction_s = reduction_s(physical.memory_bandwidth_bytes_per_s)};
  }
  Link link(const PlatformFile::Physical& physical) const {
    const double back =
        physical.return_bandwidth_bytes_per_s.value_or(physical.bandwidth_bytes_per_s);
    return {.latency_s = physical.latency_s,
            .in_s = tile_bytes_ / physical.bandwidth_bytes_per_s,
            .out_s = tile_bytes_ / back,
            .memory_tiles = static_cast<std::int64_t>(
                std::min(std::floor(physical.memory_bytes / tile_bytes_), 1e12))};
  }
  Worker worker(const PlatformFile::Raw& raw, int node) const {
    if (q_ != file_.block_size) {
      throw InputError("/block_size", fmt::format("{}, the tile size asked for", q_),
                       fmt::format("raw figures for {}", *file_.block_size));
    }
    return {.node = node, .update_s = raw.w_s, .reduction_s = std::nullopt};
  }
  static Link link(const PlatformFile::Raw& raw) {
    return {.latency_s = raw.latency_s,
            .in_s = raw.c_s,
            .out_s = raw.c_s,
            .memory_tiles = raw.m_blocks};
  }

 private:
  // A reduction reads two tiles and writes one.
  std::optional<double> reduction_s(const std::optional<double>& bandwidth) const {
    if (!bandwidth) return std::nullopt;
    return 3 * tile_bytes_ / *bandwidth;
  }

  const PlatformFile& file_;
  std::int64_t q_;
  double tile_bytes_;
  double update_flops_;
};

/// Adds the routes between the memory nodes of a platform, and the bandwidths of buses that they
/// share.
class RouteBuilder {
 public:
  /// `buses_of_gpus` has the name of the bus of each GPU; `nodes` gives the memory node of each
  /// worker of the file.
  RouteBuilder(const PlatformFile& file, double tile_bytes,
               const std::vector<std::string>& buses_of_gpus, const std::vector<int>& nodes,
               Platform& platform)
      : tile_bytes_(tile_bytes), platform_(platform) {
    for (const Bus& bus : file.buses) {
      down_.push_back(add_line(bus.name + " down", bus.bandwidth_bytes_per_s));
      up_.push_back(add_line(bus.name + " up", bus.return_bandwidth_bytes_per_s));
      total_.push_back(add_line(bus.name, bus.total_bandwidth_bytes_per_s));
    }
    paths_.emplace_back();  // of main memory
    for (const std::string& bus : buses_of_gpus) {
      paths_.push_back(path_to_master(file.buses, bus));
      std::ranges::reverse(paths_.back());
    }
    for (int from = 0; from < platform.nodes(); ++from) {
      for (int to = 0; to < platform.nodes(); ++to) routes_.push_back(make_route(from, to));
    }
    for (const PeerLink& link : file.peer_links) {
      const auto node = [&](std::int64_t worker) {
        return nodes[static_cast<std::size_t>(worker)];
      };
      Route& route =
          routes_[static_cast<std::size_t>(node(link.from) * platform.nodes() + node(link.to))];
      route.latency_s = link.latency_s;
      route.tile_s = tile_bytes / link.bandwidth_bytes_per_s;
    }
    platform.routes = std::move(routes_);
  }

 private:
  /// Adds a shared bandwidth, if there is one. Returns its number, or -1.
  std::int32_t add_line(const std::string& name, const std::optional<double>& bandwidth) {
    if (!bandwidth) return -1;
    platform_.shared_lines.push_back({.name = name, .tile_s = tile_bytes_ / *bandwidth});
    return static_cast<std::int32_t>(platform_.shared_lines.size()) - 1;
  }

  /// Returns the route along the buses: up to the last bus that the two nodes have in common, or to
  /// main memory, and down again. A transfer that turns round at a bus uses its total bandwidth
  /// only.
  Route make_route(int from, int to) const {
    if (from == to) return {};
    Route route{.latency_s = transfer_latency_s(platform_, from, to)};
    route.tile_s = transfer_time_s(platform_, from, to) - route.latency_s;
    const auto& up = paths_[static_cast<std::size_t>(from)];
    const auto& down = paths_[static_cast<std::size_t>(to)];
    const auto add = [&](std::int32_t line) {
      if (line >= 0) route.lines.push_back(line);
    };
    std::size_t common = 0;
    while (common < std::min(up.size(), down.size()) && up[common] == down[common]) ++common;
    if (common > 0) add(total_[up[common - 1]]);
    for (std::size_t i = common; i < up.size(); ++i) {
      add(up_[up[i]]);
      add(total_[up[i]]);
    }
    for (std::size_t i = common; i < down.size(); ++i) {
      add(down_[down[i]]);
      add(total_[down[i]]);
    }
    return route;
  }

  double tile_bytes_;
  Platform& platform_;
  std::vector<std::int32_t> down_, up_, total_;  ///< by bus: number of the shared line, or -1
  std::vector<std::vector<std::size_t>> paths_;  ///< by node: its buses, from main memory
  std::vector<Route> routes_;
};

/// Throws InputError if two durations differ by a factor of more than 10^12: in a sum with the
/// longer one, double precision would lose the shorter one.
void check_durations(const Platform& platform, const std::string& path) {
  double shortest_s = std::numeric_limits<double>::infinity();
  double longest_s = 0;
  const auto include = [&](double duration_s) {
    shortest_s = std::min(shortest_s, duration_s);
    longest_s = std::max(longest_s, duration_s);
  };
  for (const Worker& worker : platform.workers) include(worker.update_s);
  for (const Link& link : platform.links) include(link.latency_s + std::max(link.in_s, link.out_s));
  for (const SharedLine& line : platform.shared_lines) include(line.tile_s);
  for (const Route& route : platform.routes) {
    if (route.tile_s > 0) include(route.latency_s + route.tile_s);
  }
  if (longest_s <= 1e12 * shortest_s) return;
  throw InputError("/workers",
                   "durations of tasks and transfers that differ by a factor of at most 10^12",
                   fmt::format("from {:g} s to {:g} s", shortest_s, longest_s))
      .in_file(path);
}

}  // namespace

std::vector<double> node_speeds(const Platform& platform) {
  std::vector<double> speeds(static_cast<std::size_t>(platform.nodes()));
  for (const Worker& worker : platform.workers) {
    speeds[static_cast<std::size_t>(worker.node)] += 1 / worker.update_s;
  }
  return speeds;
}

Platform make_platform(const PlatformFile& file, std::int64_t q) {
  if (element_type_of(file) != ElementType::float64)
    return make_platform(convert_to_doubles(file), q);
  if (file.size() > kMaxTileWorkers) {
    throw InputError("/workers", fmt::format("at most {} workers for tile tasks", kMaxTileWorkers),
                     fmt::format("{}", file.size()))
        .in_file(file.path);
  }
  Platform platform{
      .name = file.name, .start_up_s = file.start_up_s, .task_overhead_s = file.task_overhead_s};
  const FileConverter converter(file, q);
  std::vector<Worker> gpu_workers;
  std::vector<std::string> buses_of_gpus;
  std::vector<int> nodes;  // by worker of the file
  int number = 0;
  try {
    for (const PlatformFile::Entry& entry : file.entries) {
      const auto measured_s = measured_update_s(entry.speed_function, q);
      const auto measured_cv = measured_update_cv(entry.speed_function, q);
      for (std::int64_t copy = 0; copy < entry.count; ++copy, ++number) {
        if (const auto* sharing = std::get_if<PlatformFile::MemorySharing>(&entry.worker)) {
          platform.workers.push_back(converter.worker(*sharing));
          platform.workers.back().number = number;
          platform.workers.back().update_cv = measured_cv;
          if (measured_s) platform.workers.back().update_s = *measured_s;
          nodes.push_back(kHub);
          continue;
        }
        if (const auto* raw = std::get_if<PlatformFile::Raw>(&entry.worker)) {
          gpu_workers.push_back(converter.worker(*raw, platform.nodes()));
          platform.links.push_back(FileConverter::link(*raw));
        } else {
          const auto& physical = std::get<PlatformFile::Physical>(entry.worker);
          gpu_workers.push_back(converter.worker(physical, platform.nodes()));
          platform.links.push_back(converter.link(physical));
          if (measured_s) gpu_workers.back().update_s = *measured_s;
        }
        gpu_workers.back().number = number;
        gpu_workers.back().update_cv = measured_cv;
        buses_of_gpus.push_back(entry.bus);
        nodes.push_back(gpu_workers.back().node);
      }
    }
  } catch (const InputError& error) {
    throw error.in_file(file.path);
  }
  platform.workers.insert(platform.workers.end(), gpu_workers.begin(), gpu_workers.end());
  if (!file.buses.empty() || !file.peer_links.empty()) {
    if (platform.links.size() > kMaxRoutedGpus) {
      throw InputError(
          "/workers",
          fmt::format("at most {} GPUs with buses or links between them", kMaxRoutedGpus),
          fmt::format("{}", platform.links.size()))
          .in_file(file.path);
    }
    RouteBuilder(file, 8 * static_cast<double>(q) * static_cast<double>(q), buses_of_gpus, nodes,
                 platform);
  }
  check_durations(platform, file.path);
  return platform;
}

}  // namespace starport::tiles
