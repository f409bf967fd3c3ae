// Platform files: workers as measured or sold, from which the star for a block size is computed.
#pragma once

#include "sim/platform/calibration.hpp"
#include "sim/platform/device.hpp"
#include "sim/platform/element_type.hpp"
#include "sim/platform/platform.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace starport {

/// Largest number of devices of one worker.
inline constexpr std::int64_t kMaxDevices = 10'000;

/// The content of a platform file. Its workers are raw (in the figures of the model, for one block
/// size), physical (as hardware, from which c_i, w_i, m_i follow for any block size), or share the
/// master's memory and have no link (PPoPP'08: a "fictitious extra worker paying no communication
/// cost").
struct PlatformFile {
  /// A worker in the figures of the model for one block size.
  using Raw = Worker;
  /// A worker described as hardware.
  struct Physical {
    double bandwidth_bytes_per_s;
    double speed_flops;  ///< all its devices together
    double memory_bytes;
    double latency_s;
    std::optional<double> return_bandwidth_bytes_per_s{};  ///< to the master, if it differs
    std::optional<double> memory_bandwidth_bytes_per_s{};  ///< bandwidth of its own memory
  };
  /// A worker that shares the master's memory.
  struct MemorySharing {
    double speed_flops;
    std::optional<double> memory_bandwidth_bytes_per_s{};
  };
  /// An entry of the list of workers: `count` identical workers.
  struct Entry {
    std::variant<Raw, Physical, MemorySharing> worker;
    std::int64_t count;
    std::string pointer;                        ///< JSON pointer to it in the file
    std::vector<SpeedSample> speed_function{};  ///< measured; may be empty
    std::vector<Device> devices{};              ///< devices of a physical worker; may be empty
    /// When it holds f > 1 times its memory, it computes 1 + paging (f - 1) times as long; nullopt:
    /// it cannot hold more than its memory.
    std::optional<double> paging{};

    /// Returns the devices with their speeds scaled so that their sum is the worker's speed, which
    /// a sweep may have changed.
    std::vector<Device> scaled_devices() const;
  };

  std::string path;
  std::string name;
  std::string provenance;
  std::optional<Calibration> samples;      ///< the measurements behind the figures
  std::optional<std::int64_t> block_size;  ///< q of raw workers, default of the others
  std::vector<Entry> entries;
  PortFile port = {};
  double start_up_s = 0;  ///< start-up time of a run-time system, before anything else
  WorkerNames names = {};
  std::optional<ElementType> element_type = {};  ///< type measured with, or to be used
  std::vector<std::string> hosts = {};  ///< hosts of the workers when measured; may be empty

  /// Returns the number of workers.
  std::int64_t size() const;
  /// Returns the star for blocks of q x q elements. Workers that share the master's memory get a
  /// link 1000 times as fast as the fastest one and the memory of the largest other worker. Throws
  /// InputError when raw figures are for another q, when c or w is not within 1e-100..1e100 s, or
  /// when the workers are no star: none has a link, or a link differs between the two directions.
  Platform at_block_size(std::int64_t q) const;
  /// Returns the star as at_block_size() does, or, where that throws, a platform without workers.
  /// For reports, which show other platforms too.
  Platform star_or_empty(std::int64_t q) const;
};

/// Returns the file without speed functions and devices: each worker has its full speed for updates
/// of any size.
PlatformFile with_constant_speeds(PlatformFile file);

/// Reads a raw worker, with a memory of at least `min_blocks` blocks. Throws InputError.
Worker read_raw_worker(const JsonNode& node, std::int64_t min_blocks);
/// Returns the key "name" of a worker; "" without it. Throws InputError unless it is a string of 1
/// to 64 bytes.
std::string read_worker_name(const JsonNode& node);

/// Returns a platform file as JSON text. Figures are written in full precision.
std::string to_json(const PlatformFile& file);

/// Reads and checks a platform file (schema: platforms/platform.schema.json). Throws InputError
/// naming the file when it cannot be read or is invalid.
PlatformFile load_platform(const std::string& path);
/// Reads a platform from a JSON document; errors name the file `path`.
PlatformFile parse_platform(const nlohmann::json& document, const std::string& path);

}  // namespace starport
