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
  /// Path of a kernel's shared library; "": the CPU's kernel, which is built in.
  std::string library;
  /// Type of the matrix elements to measure with; doubles by default.
  ElementType type = ElementType::float64;
  /// Threads of an update, passed to the kernel; at least 1. The CPU's kernel uses those set by
  /// set_blas_threads().
  int threads = 1;
};

/// Memory of one worker filled with blocks to measure updates on: more than the caches hold if
/// possible (64 MB to 1 GB).
class BenchmarkBlocks {
 public:
  /// Allocates blocks of q x q elements in at most a quarter of the free memory and at most
  /// `max_bytes` bytes, and fills them. Throws InputError about --block-sizes when the three blocks
  /// of an update do not fit, InputError about --kernel when the kernel cannot be loaded, and
  /// SimulationError when it fails.
  BenchmarkBlocks(const KernelSelection& kernel, std::int64_t q, double max_bytes);

  /// Returns the side of a block in matrix elements.
  std::int64_t q() const { return store_.setup().block_size; }
  /// Returns the number of blocks in the memory; at least 3.
  std::int64_t size() const { return store_.setup().blocks; }
  /// Returns the number, from 0, of the first element of block `n` modulo size() in store().
  /// Requires n >= 0 (not checked).
  std::int64_t operator[](std::int64_t n) const { return n % size() * q() * q(); }
  /// Returns the memory itself, valid as long as this object.
  KernelStore& store() { return store_; }
  /// Writes all blocks in order, setting each element to 0.001, so that the first blocks leave the
  /// caches. Throws SimulationError when the kernel fails.
  void sweep();

 private:
  KernelStore store_;
};

/// Generates updates of a chunk (rectangle of C on a worker) whose blocks of A and B are others
/// each time, as in a run, where new ones arrive.
class UpdateSequence {
 public:
  /// Makes a sequence on `blocks`, which must outlive it.
  explicit UpdateSequence(BenchmarkBlocks& blocks) : blocks_(blocks) {}

  /// Returns the side in blocks, from 1 to `max_side`, of the largest square chunk (rectangle of C
  /// on a worker) that fits in the memory together with one block column of A and one block row of
  /// B.
  std::int64_t largest_side(std::int64_t max_side) const;
  /// Returns the next update, one block of inner size, of the chunk of rows x columns blocks at the
  /// start of the memory. Requires that it fits together with rows + columns other blocks (not
  /// checked; blocks are then beyond the memory or overlap).
  BlockProduct next(std::int64_t rows, std::int64_t columns);

 private:
  BenchmarkBlocks& blocks_;
  std::int64_t next_ = 0;
};

/// Returns the side mu in blocks, at least 1, of the largest square chunk (rectangle of C) of a
/// worker whose memory holds `blocks` blocks, with mu^2 + 4 mu <= blocks: the chunk and two
/// updates' blocks of A and B, one arriving while the other is computed.
std::int64_t largest_chunk_side(double blocks);

/// Measures block updates in wall-clock seconds, as the samples of worker 1: with warm caches, with
/// cold caches, and as part of the update of a chunk of `side` x `side` blocks (at most 16 x 16,
/// and what fits). Each is repeated at least ten times (PPoPP'08, section 6.2), the last for at
/// least `seconds` seconds and then reduced to at most 40 means. All durations are multiplied by
/// `slowdown`. Changes the blocks of C. Throws SimulationError when the kernel fails.
Calibration::Dgemm measure_dgemm(BenchmarkBlocks& blocks, std::int64_t side, double seconds,
                                 double slowdown);

/// Returns the index from 0 of the series with the smallest block size whose speed within a chunk
/// is at least 97% of the highest, since smaller blocks leave more choice to the schedule; 0 for an
/// empty list, which has no such element.
std::size_t best_block_size_index(const std::vector<Calibration::Dgemm>& series);

/// Returns the speed in flop/s of updates within a chunk (rectangle of C on a worker): 2 q^3, with
/// q = series.block_size, divided by the median of series.update_s. Requires at least one sample
/// (not checked).
double speed_flops(const Calibration::Dgemm& series);

}  // namespace starport
