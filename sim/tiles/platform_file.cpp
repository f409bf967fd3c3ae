#include "sim/tiles/platform_file.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

namespace starport::tiles {
namespace {

/// Whoever has room is looked for again after each task.
constexpr std::int64_t kMostTileWorkers = 100'000;

/// The figures of the file's workers for one size of tiles.
class Reading {
 public:
  Reading(const PlatformFile& file, std::int64_t q)
      : file_(file),
        q_(q),
        tile_bytes_(8 * static_cast<double>(q) * static_cast<double>(q)),
        update_flops_(2 * static_cast<double>(q) * static_cast<double>(q) *
                      static_cast<double>(q)) {}

  Worker worker(const PlatformFile::Sharing& sharing) const {
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
  /// Two tiles are read and one is written.
  std::optional<double> reduction_s(const std::optional<double>& bandwidth) const {
    if (!bandwidth) return std::nullopt;
    return 3 * tile_bytes_ / *bandwidth;
  }

  const PlatformFile& file_;
  std::int64_t q_;
  double tile_bytes_;
  double update_flops_;
};

/// Dates could not tell a task from nothing beside a transfer 10^12 times as long.
void check_durations(const Platform& platform, const std::string& path) {
  double least_s = std::numeric_limits<double>::infinity();
  double most_s = 0;
  const auto take = [&](double duration_s) {
    least_s = std::min(least_s, duration_s);
    most_s = std::max(most_s, duration_s);
  };
  for (const Worker& worker : platform.workers) take(worker.update_s);
  for (const Link& link : platform.links) take(link.latency_s + std::max(link.in_s, link.out_s));
  if (most_s <= 1e12 * least_s) return;
  throw InputError("/workers",
                   "tasks and transfers that last at most 10^12 times as long as others",
                   fmt::format("from {:g} s to {:g} s", least_s, most_s))
      .in_file(path);
}

}  // namespace

Platform platform_of(const PlatformFile& file, std::int64_t q) {
  if (elements_of(file) != ElementType::float64) return platform_of(in_doubles(file), q);
  if (file.size() > kMostTileWorkers) {
    throw InputError("/workers", fmt::format("at most {} workers for tasks", kMostTileWorkers),
                     fmt::format("{}", file.size()))
        .in_file(file.path);
  }
  Platform platform{.name = file.name, .start_up_s = file.start_up_s};
  const Reading reading(file, q);
  std::vector<Worker> others;
  int number = 0;
  try {
    for (const PlatformFile::Entry& entry : file.entries) {
      for (std::int64_t copy = 0; copy < entry.count; ++copy, ++number) {
        if (const auto* sharing = std::get_if<PlatformFile::Sharing>(&entry.worker)) {
          platform.workers.push_back(reading.worker(*sharing));
          platform.workers.back().number = number;
          continue;
        }
        if (const auto* raw = std::get_if<PlatformFile::Raw>(&entry.worker)) {
          others.push_back(reading.worker(*raw, platform.nodes()));
          platform.links.push_back(Reading::link(*raw));
        } else {
          const auto& physical = std::get<PlatformFile::Physical>(entry.worker);
          others.push_back(reading.worker(physical, platform.nodes()));
          platform.links.push_back(reading.link(physical));
        }
        others.back().number = number;
      }
    }
  } catch (const InputError& error) {
    throw error.in_file(file.path);
  }
  platform.workers.insert(platform.workers.end(), others.begin(), others.end());
  check_durations(platform, file.path);
  return platform;
}

}  // namespace starport::tiles
