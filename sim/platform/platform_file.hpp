// Platform files: workers as they are measured or sold, and the star that they make.
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

inline constexpr std::int64_t kMostDevices = 10'000;  ///< of one worker

/// A platform file: workers in the model's own figures for one block size (raw), or as hardware
/// (physical), from which c_i, w_i, m_i follow for any block size. Workers that share the master's
/// memory have no link: PPoPP'08's "fictitious extra worker paying no communication cost".
struct PlatformFile {
  using Raw = Worker;
  struct Physical {
    double bandwidth_bytes_per_s;
    double speed_flops;  ///< of all its devices together
    double memory_bytes;
    double latency_s;
    std::optional<double> return_bandwidth_bytes_per_s{};  ///< to the master, where it differs
    std::optional<double> memory_bandwidth_bytes_per_s{};  ///< of its own memory
  };
  struct Sharing {
    double speed_flops;
    std::optional<double> memory_bandwidth_bytes_per_s{};
  };
  struct Entry {
    std::variant<Raw, Physical, Sharing> worker;
    std::int64_t count;
    std::string pointer;                        ///< where it stands in the file
    std::vector<SpeedSample> speed_function{};  ///< measured; may be empty
    std::vector<Device> devices{};              ///< of a physical worker; may be empty
    /// Holding f times its memory, it computes 1 + paging (f - 1) times as long; none: it cannot.
    std::optional<double> paging{};

    /// The devices at the worker's speed, which a sweep may have changed.
    std::vector<Device> devices_now() const;
  };

  std::string path;
  std::string name;
  std::string provenance;
  std::optional<Calibration> samples;      ///< what the figures were measured by
  std::optional<std::int64_t> block_size;  ///< q of the raw workers, default of the others
  std::vector<Entry> entries;
  PortFile port = {};
  double start_up_s = 0;  ///< of a run-time system, before anything else
  WorkerNames names = {};
  std::optional<ElementType> element_type =
      {};                               ///< that it was measured with, or is to be run with
  std::vector<std::string> hosts = {};  ///< that the workers were measured on; may be empty

  std::int64_t size() const;  ///< workers
  /// The star for blocks of q x q. Workers that share the master's memory have links on which a
  /// block takes a thousandth of what it takes on the fastest, and as much memory as the largest
  /// has. Throws InputError when raw workers were given for another q, when a figure leaves the
  /// range of a double, or when the workers are not a star's: no link at all, or one not alike both
  /// ways.
  Platform at_block_size(std::int64_t q) const;
  /// The same for who only tells of it: without workers and with one port where it is no star.
  Platform star_if_any(std::int64_t q) const;
};

/// The same with the speed of each worker at full, whatever the size of its updates.
PlatformFile at_constant_speeds(PlatformFile file);

/// A worker in the model's own figures, with at least so many blocks. Throws InputError.
Worker read_raw(const JsonNode& node, std::int64_t fewest_blocks);
/// The worker's key "name"; empty where it has none. Throws InputError.
std::string read_worker_name(const JsonNode& node);

/// The file as JSON text. Figures are written in full.
std::string to_json(const PlatformFile& file);

/// Reads and checks a platform file (schema: platforms/platform.schema.json). Throws InputError.
PlatformFile load_platform(const std::string& path);
/// The same from a document already read; `path` is what errors name.
PlatformFile parse_platform(const nlohmann::json& document, const std::string& path);

}  // namespace starport
