// Measurement of block updates on one node.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/platform/calibration.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// The kernel, element type and number of threads of a measurement.
struct KernelSelection {
  std::string library;  ///< path of a kernel's shared library; "": the CPU's kernel
  ElementType type = ElementType::float64;
  int threads = 1;
};

/// Memory filled with blocks to measure updates on: more than the caches hold if possible.
class BenchmarkBlocks {
 public:
  /// Allocates blocks of q x q elements in at most a quarter of the free memory and at most
  /// `max_bytes`. Throws InputError about --block-sizes when the three blocks of an update do not
  /// fit.
  BenchmarkBlocks(const KernelSelection& kernel, std::int64_t q, double max_bytes);

  /// Returns the block size.
  std::int64_t q() const { return store_.setup().block_size; }
  /// Returns the number of blocks.
  std::int64_t size() const { return store_.setup().blocks; }
  /// Returns the first element of block `n` modulo size().
  std::int64_t operator[](std::int64_t n) const { return n % size() * q() * q(); }
  KernelStore& store() { return store_; }
  /// Writes all blocks in order, so that the first ones leave the caches.
  void sweep();

 private:
  KernelStore store_;
};

/// Generates updates of a chunk whose blocks of A and B are others each time, as in a run, where
/// new ones arrive. The blocks must outlive it.
class UpdateSequence {
 public:
  explicit UpdateSequence(BenchmarkBlocks& blocks) : blocks_(blocks) {}

  /// Returns the side in blocks, at most `max_side`, of the largest square chunk that fits.
  std::int64_t largest_side(std::int64_t max_side) const;
  /// Returns the next update, one block deep, of a chunk of rows x columns blocks, which must fit.
  BlockProduct next(std::int64_t rows, std::int64_t columns);

 private:
  BenchmarkBlocks& blocks_;
  std::int64_t next_ = 0;
};

/// Returns the side mu, at least 1, of the largest chunk of a worker whose memory holds `blocks`
/// blocks: mu^2 + 4 mu <= m.
std::int64_t largest_chunk_side(double blocks);

/// Measures block updates, as the samples of worker 1: with warm caches, with cold caches, and as
/// part of the update of a chunk of `side` x `side` blocks (at most 16 x 16, and what fits). Each
/// is repeated ten times (PPoPP'08, section 6.2), the last one for at least `seconds` seconds. All
/// durations are multiplied by `slowdown`.
Calibration::Dgemm measure_dgemm(BenchmarkBlocks& blocks, std::int64_t side, double seconds,
                                 double slowdown);

/// Returns the index of the series with the smallest block size whose speed within a chunk is at
/// least 97% of the highest, since smaller blocks leave more choice to the schedule.
std::size_t best_block_size_index(const std::vector<Calibration::Dgemm>& series);

/// Returns the speed in flop/s of updates within a chunk: 2 q^3 divided by their median duration.
double speed_flops(const Calibration::Dgemm& series);

}  // namespace starport
