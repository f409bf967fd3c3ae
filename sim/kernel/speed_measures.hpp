// Measurement of speed as a function of size (functional performance models: HeteroPar'12, section
// 3).
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

/// Measures updates of one worker that holds A, B and C of side x side blocks, as in the outer
/// product.
class SpeedMeter {
 public:
  /// Prepares a meter whose matrices may take `max_bytes` bytes together.
  SpeedMeter(std::int64_t block_size, const Emulation& emulation, double max_bytes);

  /// Measures updates of matrices of side x side blocks, at least three times; returns nullopt when
  /// they do not fit in `max_bytes`.
  std::optional<SpeedSample> measure(std::int64_t side);

 private:
  void make_room(std::int64_t side);

  std::int64_t block_size_;
  Emulation emulation_;
  double max_bytes_;
  std::vector<double> a_;  ///< by block columns
  std::vector<double> b_;
  std::vector<double> c_;
};

/// A function that measures all workers at the same time, on side x side blocks each. Its result
/// has nullopt for a worker whose memory is too small.
using MeasureSide = std::function<PerWorker<std::optional<SpeedSample>>(std::int64_t side)>;

/// Returns the side in blocks, at most `max_side`, of the largest matrices A, B and C that fit in
/// `memory_bytes`. Throws InputError about --speed-function when it is less than 2.
std::int64_t largest_side(double memory_bytes, std::int64_t block_size, std::int64_t max_side);

/// Measures the speed functions of all workers up to `max_side` x `max_side` blocks each. The sides
/// double; intervals are then bisected as long as, for some worker, linear interpolation misses the
/// speed in the middle by more than 5%. Returns for each worker the points whose time increases
/// with the size.
PerWorker<std::vector<SpeedSample>> measure_speed_functions(std::int64_t max_side,
                                                            const MeasureSide& measure);

/// Formats measured speeds as a table with one row per size.
std::string speed_table(const std::vector<SpeedSample>& samples);

}  // namespace starport
