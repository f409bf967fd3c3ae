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
/// rows, d columns, a = m d / b blocks of size b) by one block column of A and one block row of B
/// takes
///   start_up + 2 a b^3 / (speed * factor) + 8 b (b m + d) / bus
/// seconds, or as long as was measured. An accelerator keeps C in its own memory and gets A and B
/// over the bus; `factor` depends on the share of its memory that C takes.
struct Device {
  /// A point of the decline of speed: where C takes the share `use` of the memory, the speed is
  /// `factor` (at most 1) times the full one.
  struct Decline {
    double use;
    double factor;
  };

  std::string name;
  std::int64_t count = 1;
  std::optional<double> speed_flops;        ///< speed of one device; nullopt: only measured
  double start_up_s = 0;                    ///< start-up time of each update
  std::optional<double> bus_bytes_per_s;    ///< nullopt: it uses the memory of its worker
  std::optional<double> memory_bytes;       ///< own memory of one device
  std::vector<Decline> decline;             ///< by ascending use
  std::vector<SpeedSample> speed_function;  ///< measured; may be empty

  /// Returns the factor on the speed when C takes the share `use` of the memory: linear between the
  /// points of the decline, starting from 1 at share 0, and constant after the last point.
  double factor(double use) const;
  /// Returns the full speed of one device in flop/s; the highest measured one if no speed is given.
  double full_speed_flops() const;
  /// Returns a device that is `factor` times as fast.
  Device scaled_by(double factor) const;
};

/// Returns the sum of the full speeds of all devices in flop/s.
double total_speed_flops(const std::vector<Device>& devices);

/// Returns the joint speed of all devices, in block updates per second, as a function of the number
/// of blocks of C, when they divide an update so that all end at the same time. Devices without
/// measurements are modelled for square parts of C, at four sizes per octave up to `max_blocks` and
/// at the points of their decline. Returns nullopt when the speed does not depend on the size.
/// Throws InputError at `pointer` for invalid measurements.
std::optional<SpeedFunction> combine_device_speeds(const std::vector<Device>& devices,
                                                   std::int64_t q, std::int64_t max_blocks,
                                                   const std::string& pointer);

/// Reads a device of a platform file. Throws InputError without a file name.
Device read_device(const JsonNode& node);
/// Returns a device as read_device() reads it.
nlohmann::ordered_json to_json(const Device& device);

}  // namespace starport
