// Measurement of speed as a function of size (functional performance models: HeteroPar'12, section
// 3).
#pragma once

#include "sim/kernel/emulation.hpp"
#include "sim/platform/calibration.hpp"
#include "sim/platform/platform.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Meter of the durations of updates of one worker that holds A, B and C of side x side blocks, as
/// in the blocked outer product: C += one block column of A times one block row of B. Owns the
/// matrices and keeps them, at their largest size so far, until it is destroyed. Not thread-safe.
class SpeedMeter {
 public:
  /// Prepares to measure updates with blocks of block_size x block_size doubles (at least 1, not
  /// checked), whose matrices may take `max_bytes` bytes together (infinity: no limit); measure()
  /// allocates them. `emulation`, the slow-down of the worker, is copied.
  SpeedMeter(std::int64_t block_size, const Emulation& emulation, double max_bytes);

  /// Measures updates (C += one block column of A times one block row of B) of matrices of side x
  /// side blocks (side >= 1, not checked), one after another, the emulated slow-down included;
  /// blocks meanwhile. Stops after at least three updates and 0.1 s, once ten updates have been
  /// measured or 2 s have passed. Returns the median duration of one update in wall-clock seconds
  /// with its 95 % confidence interval (of fewer than six durations, their range); nullopt when the
  /// matrices do not fit in the `max_bytes` given to the constructor. Throws std::bad_alloc when
  /// the system has no memory for them.
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

/// A function that measures the durations of updates (C += one block column of A times one block
/// row of B) of all workers at the same time, on matrices of side x side blocks each, and blocks
/// until done. Its result, by worker index from 0, has one entry per worker: nullopt for one whose
/// memory is too small, which must then stay so for larger sides.
using MeasureSide = std::function<PerWorker<std::optional<SpeedSample>>(std::int64_t side)>;

/// Returns the side in blocks, at most `max_side`, of the largest square matrices A, B and C that
/// fit together in `memory_bytes` bytes (at least 0; infinity: no limit), with blocks of block_size
/// x block_size doubles. Throws InputError about --speed-function when fewer than 2 x 2 blocks each
/// fit in the memory.
std::int64_t largest_side(double memory_bytes, std::int64_t block_size, std::int64_t max_side);

/// Measures the speed functions (duration of an update by matrix size) of all workers up to
/// `max_side` x `max_side` blocks each (max_side >= 1, not checked), by calling `measure` for one
/// side after another, not in ascending order. The sides double; intervals between sides are then
/// bisected as long as, for some worker, linear interpolation misses the speed in the middle by
/// more than 5%. Returns for each worker, by index from 0, its samples by ascending size without
/// those that take no less time than a larger one; none when its memory is always too small.
/// Exceptions of `measure` pass through; may throw std::out_of_range when a worker has a sample for
/// a side but none for a smaller one.
PerWorker<std::vector<SpeedSample>> measure_speed_functions(std::int64_t max_side,
                                                            const MeasureSide& measure);

/// Formats measured points of a speed function as a table with a header and one row per sample, in
/// their order, ending in a newline: rows x columns of C in blocks, median duration, its 95%
/// confidence interval (empty if not known), Gflop/s. Only the header without samples. Requires
/// samples with inner == 1 and seconds > 0 (not checked).
std::string speed_table(const std::vector<SpeedSample>& samples);

}  // namespace starport
