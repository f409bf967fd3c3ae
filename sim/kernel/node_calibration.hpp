// A node measured as a whole, for its entry in a platform file.
#pragma once

#include "sim/kernel/node_measures.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

struct NodeSettings {
  std::vector<std::int64_t> block_sizes{80};
  int threads = 1;     ///< of a dgemm
  std::string kernel;  ///< the library of one of others
  ElementType type = ElementType::float64;
  std::optional<double> memory_bytes;  ///< given, instead of what is free
  double reserve = 0.25;               ///< share of the free memory left to the rest of the system
  double seconds = 1;                  ///< to measure a figure for, at least
  double slow = 1;                     ///< emulated: everything takes so many times as long
  std::optional<std::int64_t> speed_side;  ///< of the largest update that a speed function tells of
};

/// What a node says of itself.
struct NodeReport {
  std::string host;
  std::string processor;
  std::string blas;
  int threads = 1;
  ElementType type = ElementType::float64;
  double memory_bytes = 0;                ///< for blocks
  std::vector<Calibration::Dgemm> dgemm;  ///< one for each block size

  /// "Intel... on node1, OpenBLAS..., 1 thread"; another kernel, and floats, are told.
  std::string description() const;
  /// One row per block size, the best one marked.
  std::string table() const;
};

/// Throws InputError when a block size does not fit in memory, or the threads cannot be set.
NodeReport measure_node(const NodeSettings& settings);

/// To and from another process, by JSON.
std::string to_text(const NodeReport& report);
NodeReport node_report(const std::string& text);

}  // namespace starport
