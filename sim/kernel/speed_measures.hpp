// Speed as a function of size, measured (functional performance models: HeteroPar'12, section 3).
#pragma once

#include "sim/kernel/panel_kernel.hpp"
#include "sim/platform/calibration.hpp"
#include "sim/platform/per_worker.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// A worker that holds A, B and C of side x side blocks, and updates as in the outer product.
class SpeedMeter {
 public:
  /// Matrices of at most so many bytes.
  SpeedMeter(std::int64_t block_size, const Emulation& emulation, double most_bytes);

  /// nullopt where there is no room.
  std::optional<SpeedSample> measure(std::int64_t side);

 private:
  void make_room(std::int64_t side);

  std::int64_t block_size_;
  Emulation emulation_;
  double most_bytes_;
  std::vector<double> a_;  ///< its block columns one after the other
  std::vector<double> b_;
  std::vector<double> c_;
};

/// All workers at once on side x side blocks each; nullopt for one that has no room.
using MeasureSide = std::function<PerWorker<std::optional<SpeedSample>>(std::int64_t side)>;

/// The side of the largest matrices, but no more than `most`, that a worker with so much memory may
/// hold. Throws InputError when that is less than 2.
std::int64_t largest_side(double memory_bytes, std::int64_t block_size, std::int64_t most);

/// The speed functions of all workers, up to `largest` x `largest` blocks each: for sides that
/// double, then between two of them where for some worker the line between misses the speed in the
/// middle by more than 5%. Of each worker the points whose time increases with the size.
PerWorker<std::vector<SpeedSample>> measure_speed_functions(std::int64_t largest,
                                                            const MeasureSide& measure);

/// One row per size.
std::string speed_table(const std::vector<SpeedSample>& samples);

}  // namespace starport
