// Measurement of block updates on one node, for its entry in a platform file.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/platform/calibration.hpp"

#include <cstdint>
#include <optional>
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

/// Settings of the measurement of a node (one machine, as a worker).
struct NodeSettings {
  /// Sides of the blocks to measure, in matrix elements; each at least 1.
  std::vector<std::int64_t> block_sizes{80};
  /// Number of threads of a dgemm (matrix product of the BLAS); at least 1.
  int threads = 1;
  /// Path of the shared library of a kernel; "": the CPU's kernel, which is built in.
  std::string kernel;
  /// Type of the matrix elements to measure with; doubles by default.
  ElementType type = ElementType::float64;
  /// Memory for blocks in bytes; nullopt: the free memory less `reserve`.
  std::optional<double> memory_bytes;
  /// Share, from 0 to 1, of the free memory that is left to the system; used only without
  /// memory_bytes.
  double reserve = 0.25;
  /// Least duration in wall-clock seconds of the measurement of the chosen block size.
  double seconds = 1;
  /// Emulated factor on all durations, at least 1: those reported are the measured ones times it.
  double slowdown = 1;
  /// Side in blocks of the largest update in a speed function; nullopt: none is measured.
  std::optional<std::int64_t> speed_side;
};

/// The measurements of a node (one machine, as a worker) and its description.
struct NodeReport {
  /// Name of the measured host.
  std::string host;
  /// Model name of its processor, or "unknown".
  std::string processor;
  /// Name and version of the BLAS library, or "kernel " and the path of the kernel used instead.
  std::string blas;
  /// Number of threads of a dgemm (matrix product of the BLAS) that were used.
  int threads = 1;
  /// Type of the matrix elements that were used.
  ElementType type = ElementType::float64;
  /// Memory of the node for blocks, in bytes.
  double memory_bytes = 0;
  /// Durations of block updates, one series per block size in the order of the settings, as those
  /// of worker 1.
  std::vector<Calibration::Dgemm> dgemm;

  /// Returns a description of host, processor, BLAS or kernel, threads and, unless it is double,
  /// element type, on one line without a newline.
  std::string description() const;
  /// Formats the measurements as a table with a header and one row per block size, ending in a
  /// newline; the best one is marked with "*". Requires that each series has samples (not checked).
  std::string table() const;
};

/// Measures this node, blocking for about a fifth of `settings.seconds` or longer: the block sizes
/// share that time, but each is repeated at least ten times (see measure_dgemm). Sets the number of
/// BLAS threads of the process. Throws InputError when a block size does not fit in memory, or the
/// kernel or the number of threads cannot be set, and SimulationError when the kernel fails.
NodeReport measure_node(const NodeSettings& settings);

/// Returns a report as JSON text on one line without a newline, to send it to another process;
/// parse_node_report() reads it.
std::string to_text(const NodeReport& report);
/// Parses a report that to_text() wrote. Throws InputError for any other text.
NodeReport parse_node_report(const std::string& text);

}  // namespace starport
