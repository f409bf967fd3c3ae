// Measurement of one node, for its entry in a platform file: block updates, and its link to itself.
#pragma once

#include "sim/platform/calibration.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Returns the side mu in blocks of the largest square chunk (rectangle of C) of a worker whose
/// memory holds `blocks` blocks (rounded down; less than 2^63, not checked), with mu^2 + 4 mu <=
/// blocks: the chunk and two updates' blocks of A and B, one arriving while the other is computed.
/// Returns 1 also for fewer than 5 blocks, which hold no chunk.
std::int64_t largest_chunk_side(double blocks);

/// Returns the index from 0 of the series (durations of block updates with one block size each)
/// with the smallest block size whose speed (by the median duration) within a chunk (rectangle of C
/// on a worker) is at least 97% of the highest, since smaller blocks leave more choice to the
/// schedule; of several with that size, the first. Returns 0 for an empty list, which has no such
/// element. Requires a sample in each update_s (not checked: undefined behaviour otherwise).
std::size_t best_block_size_index(const std::vector<Calibration::Dgemm>& series);

/// Returns the speed in flop/s of updates within a chunk (rectangle of C on a worker): 2 q^3, with
/// q = series.block_size, divided by the median of series.update_s (seconds). Requires at least one
/// sample there (not checked: undefined behaviour otherwise).
double speed_flops(const Calibration::Dgemm& series);

/// Settings of measure_node(), which measures one machine as a worker: block sizes, threads, kernel
/// and memory. A plain value.
struct NodeSettings {
  /// Sides of the blocks to measure, in matrix elements; each at least 1.
  std::vector<std::int64_t> block_sizes{80};
  /// Number of threads that an update may use, in the BLAS or in the kernel; at least 1.
  int threads = 1;
  /// Path of the shared library of a kernel (functions that compute block updates); "": the CPU's
  /// kernel, which is built in.
  std::string kernel;
  /// Type of the matrix elements to measure with: float64 (double) or float32 (float).
  ElementType type = ElementType::float64;
  /// Memory of the machine for matrix blocks in bytes, which all its workers share; nullopt: the
  /// free memory less its share `reserve`.
  std::optional<double> memory_bytes;
  /// Share, from 0 to 1, of the machine's free memory that is left to the system; used only without
  /// memory_bytes.
  double reserve = 0.25;
  /// Shortest wall-clock time in seconds, at least 0, for which measure_node() repeats the updates
  /// of a chunk with each block size; ten updates take longer if they are slow.
  double seconds = 1;
  /// Factor, at least 1, by which the emulated machine is slower: the durations reported are the
  /// measured ones times it. The measurement itself takes no longer.
  double slowdown = 1;
  /// Side in blocks of the largest matrices for which the caller is to measure a speed function
  /// (duration of an update by matrix size); nullopt: none. measure_node() ignores it.
  std::optional<std::int64_t> speed_side;
};

/// The measurements of a node (one machine, as a worker) and its description, as measure_node()
/// returns them; a plain value, sent between processes by to_text().
struct NodeReport {
  /// Host name of the measured machine; "" if unknown.
  std::string host;
  /// Model name of the measured machine's processor, or "unknown".
  std::string processor;
  /// Description of the BLAS library, usually its name and version ("a BLAS of unknown name" if it
  /// tells none), or "kernel " and the path of the kernel used instead.
  std::string blas;
  /// Number of threads that the updates were allowed to use, in the BLAS or in the kernel.
  int threads = 1;
  /// Type of the matrix elements in the measured updates: float64 (double) or float32 (float).
  ElementType type = ElementType::float64;
  /// Memory of the measured machine for matrix blocks in bytes, which all its workers share.
  double memory_bytes = 0;
  /// Durations in seconds of block updates, times NodeSettings::slowdown: one series per block size
  /// in the order of NodeSettings::block_sizes, each with the worker number 1.
  std::vector<Calibration::Dgemm> dgemm;

  /// Returns a description of the measured machine: host, processor, BLAS or kernel, threads and,
  /// unless it is double, element type, on one line without a newline.
  std::string description() const;
  /// Formats the measurements as a table, ending in a newline: a header, then one row per block
  /// size with the blocks that fit in the memory, the median durations of a block update (warm and
  /// cold caches, within a chunk of C) with their units and dispersion, and Gflop/s; that of
  /// best_block_size_index() is marked with "*". Requires that each series has warm_s, cold_s and
  /// update_s (not checked: undefined behaviour otherwise).
  std::string table() const;
};

/// Measures block updates C_ij += A_ik B_kj on this machine as one worker and returns one series
/// for each block size, with a description of the machine; blocks meanwhile. A series has seconds
/// per block update, times settings.slowdown: ten with warm caches, ten with cold caches, and 10 to
/// 40, or means of consecutive ones, within updates of a chunk (rectangle of C) of at most 16 x 16
/// blocks; alone_s is empty. Takes settings.seconds or more for each block size. Without block
/// sizes there are no series. Leaves the number of BLAS threads of the process at settings.threads.
///
/// Throws InputError when three blocks of a size do not fit in the memory for blocks or in a
/// quarter of the free memory, when settings.memory_bytes is not given and the free memory is not
/// known, or when the kernel or the number of threads cannot be set; SimulationError when the
/// kernel fails or gets no memory.
NodeReport measure_node(const NodeSettings& settings);

/// Measures, in wall-clock seconds, messages of 1, 4, 16 and 64 blocks of `block_bytes` bytes each
/// (at least 1, not checked), to another thread of this process and back through a local socket;
/// blocks until done. Returns one series per size, by ascending size, with the worker number 1 and
/// ten durations each way. Throws SimulationError when no socket can be created.
std::vector<Calibration::Link> measure_loopback(std::int64_t block_bytes);

/// Returns the measurements of a machine as JSON text on one line without a newline, to send it to
/// another process; parse_node_report() reads it back.
std::string to_text(const NodeReport& report);
/// Parses the measurements of a machine from the text that to_text() wrote. Throws InputError when
/// the text is not valid JSON, with "a worker's report" as the file, or when a value is missing or
/// wrong, without a file name.
NodeReport parse_node_report(const std::string& text);

}  // namespace starport
