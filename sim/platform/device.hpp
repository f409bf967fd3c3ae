// The cores and accelerators of a worker, with speeds that depend on the size of an update.
#pragma once

#include "sim/platform/calibration.hpp"
#include "sim/platform/speed_function.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// A group of identical cores or accelerators of a worker. On one of them, an update of C (m b
/// rows, d columns, so a = m d / b blocks of b x b elements) by one block column of A and one block
/// row of B takes
///   start_up_s + 2 a b^3 / (speed * factor) + 8 b (b m + d) / bus
/// seconds, or as long as was measured. An accelerator keeps C in its own memory and gets A and B
/// over the bus; `factor` depends on the share of its memory that C takes.
struct Device {
  /// A point of the decline of speed with the use of memory: where C takes the share `use` of the
  /// device's memory, the speed is `factor` times the full one.
  struct Decline {
    /// Memory that C takes over the device's memory; greater than 0, and possibly more than 1.
    double use;
    /// Speed over the full speed; greater than 0, at most 1.
    double factor;
  };

  /// Name of the group for people, such as "A100"; may be empty.
  std::string name;
  /// Number of identical devices in the group; at least 1.
  std::int64_t count = 1;
  /// Full speed of one device in flop/s; nullopt: only measured speeds are known.
  std::optional<double> speed_flops;
  /// Start-up time of each update in seconds; at least 0.
  double start_up_s = 0;
  /// Bandwidth in bytes/s over which one device gets A and B; nullopt: it uses the memory of its
  /// worker directly.
  std::optional<double> bus_bytes_per_s;
  /// Own memory of one device in bytes; nullopt: not given.
  std::optional<double> memory_bytes;
  /// Points of the decline by ascending `use`; empty when the speed does not depend on the use.
  /// Requires memory_bytes when not empty.
  std::vector<Decline> decline;
  /// Measured speeds of one device by size; may be empty. Where they hold for the block size, they
  /// replace the formula.
  std::vector<SpeedSample> speed_function;

  /// Returns the factor on the speed when C takes the share `use` (>= 0) of the device's memory:
  /// linear between the points of the decline, starting from 1 at share 0, and constant after the
  /// last point; 1 without points.
  double factor(double use) const;
  /// Returns the full speed of one device in flop/s; the highest measured one if no speed is given,
  /// and 0 when nothing was measured either.
  double full_speed_flops() const;
  /// Returns a device that is `factor` (> 0, not checked) times as fast: its speed and measured
  /// speeds change, its start-up time and bus do not.
  Device scaled_by(double factor) const;
};

/// Returns the sum in flop/s of the full speeds of all devices, each group counted `count` times.
double total_speed_flops(const std::vector<Device>& devices);

/// Returns the joint speed of all devices, in block updates per second, as a function of the number
/// of blocks of C, when they divide an update among themselves so that all end at the same time.
/// `q` is the side of a block in elements. Devices without measurements for q are modelled for
/// square parts of C, at four sizes per octave up to `max_blocks` blocks and at the points of their
/// decline. Returns nullopt when the speed does not depend on the size. Throws InputError at the
/// JSON pointer `pointer` when measurements are invalid (measured_speeds).
std::optional<SpeedFunction> combine_device_speeds(const std::vector<Device>& devices,
                                                   std::int64_t q, std::int64_t max_blocks,
                                                   const std::string& pointer);

/// Reads a device of a platform file, an object. Throws InputError without a file name for an
/// unknown key, a value out of range, a decline without memory, or a device without any speed.
Device read_device(const JsonNode& node);
/// Returns a device as the JSON object that read_device() reads, in full precision.
nlohmann::ordered_json to_json(const Device& device);

}  // namespace starport
