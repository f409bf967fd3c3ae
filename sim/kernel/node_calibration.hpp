// Measurement of a whole node, for its entry in a platform file.
#pragma once

#include "sim/kernel/node_measures.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

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
