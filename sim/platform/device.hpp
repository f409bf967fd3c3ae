// What a worker computes with: cores and accelerators, each with a speed that depends on the size.
#pragma once

#include "sim/platform/calibration.hpp"
#include "sim/platform/speed_function.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Cores or accelerators of a worker. On one of them, an update of C (m x b rows, d columns, a = m
/// d / b blocks) by pieces b wide of A and B takes
///   start_up + 2 a b^3 / (speed * factor) + 8 b (b m + d) / bus,
/// or what was measured of it. A bus brings the pieces of A and B to an accelerator, in whose own
/// memory C stays: the speed has a factor that depends on how much of that memory C takes.
struct Device {
  /// Where C takes the share `use` of the memory, the speed is `factor` times the full one.
  struct Decline {
    double use;
    double factor;
  };

  std::string name;
  std::int64_t count = 1;
  std::optional<double> speed_flops;        ///< of each; none: only what was measured is known
  double start_up_s = 0;                    ///< of each update
  std::optional<double> bus_bytes_per_s;    ///< none: it computes on the memory of its worker
  std::optional<double> memory_bytes;       ///< its own
  std::vector<Decline> decline;             ///< ascending in use
  std::vector<SpeedSample> speed_function;  ///< measured; may be empty

  /// Linear between the points of the decline; 1 before the first, as the last after it.
  double factor(double use) const;
  /// Flop/s of one; of a device that was only measured, the highest.
  double full_speed_flops() const;
  /// The same, so many times as fast.
  Device faster(double times) const;
};

/// Flop/s of all together.
double full_speed_flops(const std::vector<Device>& devices);

/// Of all together, which divide an update so that they end at once: blocks of C, block updates a
/// second. What is not measured is computed, of pieces of C near a square, at four sizes an octave
/// up to `most_blocks` and where the declines bend. None where the size makes no difference. Throws
/// InputError, naming `pointer`, of what was measured.
std::optional<SpeedFunction> shared_speeds(const std::vector<Device>& devices, std::int64_t q,
                                           std::int64_t most_blocks, const std::string& pointer);

/// Throws InputError, without the file.
Device read_device(const JsonNode& node);
nlohmann::ordered_json to_json(const Device& device);

}  // namespace starport
