// The cores and accelerators of a worker, with speeds that depend on the size of an update.
#pragma once

#include "sim/platform/calibration.hpp"
#include "sim/platform/speed_function.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// A group of `count` identical cores or accelerators of a worker, as read_device() reads it from a
/// platform file. For a part of C that is m blocks of b x b elements high and d elements wide (a =
/// m d / b blocks, 8 bytes per element), an update by one block column of A and one block row of B
/// takes one of the devices
///   start_up_s + 2 a b^3 / (speed_flops * factor(use)) + 8 b (b m + d) / bus_bytes_per_s
/// seconds. `use` is the share of its own memory that C takes; without a bus, the last term is 0.
/// Measured durations for b (`speed_function`) replace the first two terms, on a star all three.
struct Device {
  /// A point of the curve that gives the speed of a device by the share of its memory that C takes:
  /// at the share `use`, the speed is `factor` times the full one. An element of Device::decline.
  struct Decline {
    /// Memory that C takes divided by the device's own memory; greater than 0, and possibly more
    /// than 1.
    double use;
    /// Speed of the device at this use of its memory, divided by its full speed; greater than 0, at
    /// most 1.
    double factor;
  };

  /// Name of the group for messages, such as "A100"; may be empty.
  std::string name;
  /// Number of identical devices in the group; at least 1.
  std::int64_t count = 1;
  /// Full speed of one device in flop/s; nullopt: only measured speeds are known.
  std::optional<double> speed_flops;
  /// Start-up time of the device in seconds; at least 0. It is added once to each update of the
  /// device's whole part of C by one block column of A and one block row of B, not once per block.
  double start_up_s = 0;
  /// Bandwidth in bytes/s at which one device gets the blocks of A and B; nullopt: it uses the
  /// memory of its worker directly.
  std::optional<double> bus_bytes_per_s;
  /// Own memory of one device in bytes; nullopt: not given. Only `decline` uses it: it does not
  /// limit the size of C.
  std::optional<double> memory_bytes;
  /// Points of the decline of the speed as C takes more of the device's memory, by strictly
  /// ascending `use`, with factors that do not increase; empty when the speed does not depend on
  /// the use. Unless it is empty, memory_bytes must be set (read_device() checks it).
  std::vector<Decline> decline;
  /// Measured durations of updates on one device, for several numbers of blocks of C; may be empty.
  /// Those with the block size of the run and SpeedSample::inner == 1 replace the duration computed
  /// from speed and start-up time (on a star also from the bus). Making a star or spmd platform
  /// (for distributed products) throws InputError when there is only one of these, or they
  /// contradict each other (measured_speeds()), for spmd also when the list has others only. Beyond
  /// the largest size, the speed is constant on a star, and spmd throws NotApplicable.
  std::vector<SpeedSample> speed_function;

  /// Returns the factor by which the full speed is multiplied, greater than 0 and at most 1, when C
  /// takes the share `use` (>= 0, may exceed 1; not checked) of the device's memory: linear between
  /// the points of the decline, from 1 at share 0 on, and constant after the last point; 1 without
  /// points.
  double factor(double use) const;
  /// Returns the full speed of one device in flop/s: speed_flops if it is set, else the highest
  /// speed of all samples in `speed_function`, and 0 without samples.
  double full_speed_flops() const;
  /// Returns a copy that is `factor` (> 0, not checked) times as fast: its speed and measured
  /// speeds change; its start-up time, bus, memory and decline do not.
  Device scaled_by(double factor) const;
};

/// Returns the sum in flop/s of the full speeds of all devices, each group counted `count` times; 0
/// for an empty list.
double total_speed_flops(const std::vector<Device>& devices);

/// Returns the joint speed of all devices, in block updates per second, as a function of the number
/// of blocks of C that they share, when they divide an update so that all end at the same time.
/// nullopt when no device's speed depends on the size (no bus, start-up time, decline or
/// measurement for q), also for an empty list.
///
/// `q` is the side of a block in elements, at least 1, and each device must have a speed greater
/// than 0 (not checked). Devices without measurements for q are modelled for square parts of C, at
/// four sizes per octave from 1 to `max_blocks` blocks and at the points of their decline. Throws
/// InputError without a file name, at `pointer`/devices/I/speed_function with the index I from 0,
/// when the measurements of a device for q are fewer than two, name a size twice, or do not take
/// longer for more blocks. `pointer` is the JSON pointer to the worker.
std::optional<SpeedFunction> combine_device_speeds(const std::vector<Device>& devices,
                                                   std::int64_t q, std::int64_t max_blocks,
                                                   const std::string& pointer);

/// Reads a device (cores or accelerators of a worker) of a platform file: an object with the keys
/// "speed" ("1.4Tf") or "speed_function" or both, and, if present, "name", "count" (1 to 1000000,
/// default 1), "start_up" ("10us", default 0), "bus" ("12GBps"), "memory" ("40GB"), "decline" (the
/// points [use, factor] of Device::decline, such as [[0.5, 1], [1, 0.6]]) and "comment". Throws
/// InputError without a file name for any other key, a value out of range, a decline that is empty,
/// comes without memory, or has a use that does not ascend or a factor that rises, an invalid
/// speed_function, or a device without any speed. Does not check that measured times increase with
/// size (see measured_speeds()).
Device read_device(const JsonNode& node);
/// Returns a device (cores or accelerators of a worker) as the JSON object from which read_device()
/// reads an equal one, numbers in full precision; keys of values that are not set are left out.
nlohmann::ordered_json to_json(const Device& device);

}  // namespace starport
