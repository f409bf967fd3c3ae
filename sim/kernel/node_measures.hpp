// What one node does: its dgemm on blocks.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/platform/calibration.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// What updates are measured with.
struct MeasuredKernel {
  std::string library;  ///< of a kernel of others
  ElementType type = ElementType::float64;
  int threads = 1;
};

/// Blocks to measure with, more than the caches hold where the memory allows it.
class MeasuringBlocks {
 public:
  /// In at most a quarter of the memory that is free, and `most_bytes`. Throws InputError when that
  /// has no room for the three blocks of an update.
  MeasuringBlocks(const MeasuredKernel& kernel, std::int64_t q, double most_bytes);

  std::int64_t q() const { return store_.setup().block_size; }
  std::int64_t size() const { return store_.setup().blocks; }
  /// Where block n begins, from the start again after the last.
  std::int64_t operator[](std::int64_t n) const { return n % size() * q() * q(); }
  KernelStore& store() { return store_; }
  /// Touches all the blocks in order, so that those of the start leave the caches.
  void sweep();

 private:
  KernelStore store_;
};

/// Updates of chunks with ever other blocks of A and of B, as they arrive one after the other. The
/// blocks must outlive it.
class UpdateWalk {
 public:
  explicit UpdateWalk(MeasuringBlocks& blocks) : blocks_(blocks) {}

  /// The largest side, up to that, of a square chunk for which there is room.
  std::int64_t largest_side(std::int64_t most) const;
  /// Of a chunk of that size, which has room, one block deep.
  BlockProduct next(std::int64_t rows, std::int64_t columns);

 private:
  MeasuringBlocks& blocks_;
  std::int64_t next_ = 0;
};

/// The side of the largest chunk of a worker with so many blocks: mu^2 + 4 mu <= m.
std::int64_t largest_chunk(double blocks);

/// The times of a block update of worker 1 (median of ten as in PPoPP'08 section 6.2): warm, cold
/// and among those of a chunk of `side` x `side` blocks, as an update of a worker walks through it,
/// the last ten times or more, for so many seconds at least; times `slow`.
Calibration::Dgemm measure_dgemm(MeasuringBlocks& blocks, std::int64_t side, double seconds,
                                 double slow);

/// Of the medians in a chunk: the smallest block size whose speed is within 3% of the highest,
/// since smaller blocks leave more choice to the schedule. An index.
std::size_t best_block_size(const std::vector<Calibration::Dgemm>& series);

/// 2 q^3 over the median in a chunk.
double speed_flops(const Calibration::Dgemm& series);

}  // namespace starport
