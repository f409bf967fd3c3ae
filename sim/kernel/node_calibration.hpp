// Measurement of a whole node, for its entry in a platform file.
#pragma once

#include "sim/kernel/node_measures.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Settings of the measurement of a node.
struct NodeSettings {
  std::vector<std::int64_t> block_sizes{80};
  int threads = 1;     ///< threads of a dgemm
  std::string kernel;  ///< shared library of a kernel; "": the CPU's
  ElementType type = ElementType::float64;
  std::optional<double> memory_bytes;  ///< memory for blocks; nullopt: derived from the free memory
  double reserve = 0.25;               ///< share of the free memory left to the system
  double seconds = 1;                  ///< least duration of the measurement of a block size
  double slowdown = 1;                 ///< emulated factor on all durations
  std::optional<std::int64_t> speed_side;  ///< side of the largest update of a speed function
};

/// The measurements of a node and its description.
struct NodeReport {
  std::string host;
  std::string processor;
  std::string blas;
  int threads = 1;
  ElementType type = ElementType::float64;
  double memory_bytes = 0;                ///< memory for blocks
  std::vector<Calibration::Dgemm> dgemm;  ///< one per block size

  /// Returns a one-line description of host, processor, BLAS and threads, and of the kernel and
  /// element type if they are not the default.
  std::string description() const;
  /// Formats the measurements as a table with one row per block size; the best one is marked.
  std::string table() const;
};

/// Measures this node. The block sizes share a fifth of `settings.seconds`, but each is repeated at
/// least ten times (see measure_dgemm()). Throws InputError when a block size does not fit in
/// memory or the number of threads cannot be set.
NodeReport measure_node(const NodeSettings& settings);

/// Returns a report as JSON text, to send it to another process.
std::string to_text(const NodeReport& report);
/// Parses the text of to_text(const NodeReport&).
NodeReport parse_node_report(const std::string& text);

}  // namespace starport
