// Computation of the star for a block size from a platform file.
#include "sim/platform/platform_file.hpp"

#include "sim/files/error.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport {
namespace {

/// Returns the figures of a physical worker: c = 8 q^2 / bandwidth, w = 2 q^3 / speed,
/// m = floor(memory / (8 q^2)).
Worker to_model(const PlatformFile::Physical& physical, std::int64_t block_size,
                const std::string& pointer) {
  const auto back = physical.return_bandwidth_bytes_per_s;
  if (back && *back != physical.bandwidth_bytes_per_s) {
    throw InputError(pointer + "/return_bandwidth", "links alike both ways, as a star has them",
                     fmt::format("{} back, {} there", format_bandwidth(*back),
                                 format_bandwidth(physical.bandwidth_bytes_per_s)));
  }
  const auto q = static_cast<double>(block_size);
  const double block_bytes = 8 * q * q;
  const double blocks = std::floor(physical.memory_bytes / block_bytes);
  if (blocks > static_cast<double>(kMaxBlocks)) {
    throw InputError(pointer + "/memory", fmt::format("at most {} blocks", kMaxBlocks),
                     fmt::format("{:g} blocks", blocks));
  }
  return {.c_s = block_bytes / physical.bandwidth_bytes_per_s,
          .w_s = 2 * q * q * q / physical.speed_flops,
          .m_blocks = static_cast<std::int64_t>(blocks),
          .latency_s = physical.latency_s};
}

/// Returns the speed function of a worker for blocks of q x q; nullopt when its speed is constant:
/// also where only the update of one block was measured, which is what the speed says.
std::optional<SpeedFunction> speeds_at(std::int64_t q, const PlatformFile::Entry& entry,
                                       std::int64_t m_blocks) {
  if (!entry.devices.empty()) {
    return combine_device_speeds(entry.scaled_devices(), q, m_blocks, entry.pointer);
  }
  const std::vector<SpeedSample>& samples = entry.speed_function;
  const auto measured = [&](const SpeedSample& sample) {
    return sample.has_update_shape(q) && sample.blocks() > 1;
  };
  if (!std::any_of(samples.begin(), samples.end(), measured)) return std::nullopt;
  return measured_speeds(samples, q, entry.pointer + "/speed_function");
}

/// Sets c_i and m_i of the workers that share the master's memory, which pay no communication cost
/// (PPoPP'08, section 2.1). They cannot be 0, since heuristics divide by c_i and by memory.
void set_links_of_sharing_workers(Platform& platform, const std::vector<bool>& sharing) {
  constexpr double share_of_fastest = 1e-3;
  Worker link{.c_s = std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    if (sharing[i]) continue;
    link.c_s = std::min(link.c_s, platform.workers[i].c_s);
    link.m_blocks = std::max(link.m_blocks, platform.workers[i].m_blocks);
  }
  if (std::isinf(link.c_s)) {
    throw InputError("/workers", "a worker with a link of its own, as a star has them", "none");
  }
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    if (!sharing[i]) continue;
    platform.workers[i].c_s = link.c_s * share_of_fastest;
    platform.workers[i].m_blocks = link.m_blocks;
  }
}

/// Throws InputError if durations are so far apart that dates, which are doubles, would lose the
/// short ones beside the long ones.
void check_range(const Platform& platform) {
  constexpr double most = 1e12;
  double shortest = std::numeric_limits<double>::infinity();
  double longest = 0;
  for (const Worker& worker : platform.workers) {
    shortest = std::min({shortest, worker.c_s, worker.w_s});
    longest = std::max({longest, worker.c_s, worker.w_s});
  }
  if (longest <= most * shortest) return;
  throw InputError("/workers", fmt::format("c and w of all workers within a factor of {:g}", most),
                   fmt::format("{:g} s and {:g} s a block", shortest, longest));
}

/// Returns the port for blocks of q x q; without its shared bandwidth where that has no figure for
/// this block size.
Port port_or_kind(const PlatformFile& file, std::int64_t q) {
  try {
    return convert_to_doubles(file).port.at_block_size(q, file.block_size);
  } catch (const InputError&) {
    return {.kind = file.port.kind, .max_transfers = file.port.max_transfers};
  }
}

}  // namespace

PlatformFile with_constant_speeds(PlatformFile file) {
  for (PlatformFile::Entry& entry : file.entries) {
    entry.speed_function.clear();
    entry.devices.clear();
  }
  return file;
}

std::vector<Device> PlatformFile::Entry::scaled_devices() const {
  const auto* physical = std::get_if<Physical>(&worker);
  if (physical == nullptr || devices.empty()) return devices;
  const double times = physical->speed_flops / total_speed_flops(devices);
  std::vector<Device> now;
  for (const Device& device : devices) now.push_back(times == 1 ? device : device.scaled_by(times));
  return now;
}

std::int64_t PlatformFile::size() const {
  std::int64_t workers = 0;
  for (const Entry& entry : entries) workers += entry.count;
  return workers;
}

Platform PlatformFile::at_block_size(std::int64_t q) const {
  if (element_type_of(*this) != ElementType::float64)
    return convert_to_doubles(*this).at_block_size(q);
  return with_file_in_errors(path, [&] {
    Platform platform{.name = name, .workers = {}};
    std::vector<bool> sharing;  // by worker
    if (!buses.empty()) {
      throw InputError("/buses", "links that share nothing, as a star has them",
                       fmt::format("the bus '{}'", buses.front().name));
    }
    platform.port = port.at_block_size(q, block_size);
    for (const Entry& entry : entries) {
      Worker worker;
      if (const auto* raw = std::get_if<Raw>(&entry.worker)) {
        if (q != block_size) {
          throw InputError("/block_size", fmt::format("{}, the block size asked for", q),
                           fmt::format("raw figures for {}", *block_size));
        }
        worker = *raw;
      } else if (const auto* physical = std::get_if<Physical>(&entry.worker)) {
        worker = to_model(*physical, q, entry.pointer);
      } else {
        const auto side = static_cast<double>(q);
        worker.w_s = 2 * side * side * side / std::get<MemorySharing>(entry.worker).speed_flops;
        worker.c_s = worker.w_s;  // until the links are known
      }
      if (auto speeds = speeds_at(q, entry, worker.m_blocks)) {
        worker.w_s = 1 / speeds->highest_speed();
        worker.speeds = std::make_shared<const SpeedFunction>(*std::move(speeds));
      }
      for (const double figure : {worker.c_s, worker.w_s}) {
        if (!std::isfinite(figure) || figure < 1e-100 || figure > 1e100) {
          throw InputError(entry.pointer, "c and w between 1e-100 and 1e100 s a block",
                           fmt::format("c={:g} s, w={:g} s", worker.c_s, worker.w_s));
        }
      }
      if (worker.latency_s > 1e100) {
        throw InputError(entry.pointer, "a latency of at most 1e100 s",
                         fmt::format("{:g} s", worker.latency_s));
      }
      platform.workers.insert(platform.workers.end(), static_cast<std::size_t>(entry.count),
                              worker);
      sharing.insert(sharing.end(), static_cast<std::size_t>(entry.count),
                     std::holds_alternative<MemorySharing>(entry.worker));
    }
    set_links_of_sharing_workers(platform, sharing);
    check_range(platform);
    platform.names = names;
    return platform;
  });
}

Platform PlatformFile::star_or_empty(std::int64_t q) const {
  try {
    return at_block_size(q);
  } catch (const InputError&) {
    return {.name = name, .workers = {}, .port = port_or_kind(*this, q)};
  }
}

}  // namespace starport
