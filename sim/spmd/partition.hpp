// Partitions of a product over nodes: A, B and C are divided in the same way.
#pragma once

#include "sim/platform/per_worker.hpp"

#include <cstdint>
#include <vector>

namespace starport::spmd {

/// The part of C of one node: m x n blocks from block (row, column) on, bm x bn elements
/// (HeteroPar'12, Figure 1a).
struct Rectangle {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t m = 0;
  std::int64_t n = 0;

  std::int64_t blocks() const { return m * n; }
  bool operator==(const Rectangle&) const = default;
};

/// An arrangement of rectangles in columns that covers the side x side blocks of C, one per node.
struct Arrangement {
  std::int64_t side = 0;  ///< N / b
  PerWorker<Rectangle> rectangles;
  /// Nodes of each column from top to bottom; columns from left to right.
  std::vector<std::vector<std::int64_t>> columns;

  /// Returns the sum of m + n over the rectangles, in blocks: the measure of communication.
  std::int64_t half_perimeters() const {
    std::int64_t sum = 0;
    for (const Rectangle& rectangle : rectangles) sum += rectangle.m + rectangle.n;
    return sum;
  }
};

/// An arrangement whose rectangles are divided into vertical slices for the devices of each node
/// (Figure 1b).
struct Partition {
  Arrangement arrangement;
  PerWorker<std::vector<std::int64_t>> slices;  ///< d_ij by node and device, in columns of elements
};

/// Why the passes of a partitioning algorithm ended.
enum class Ending : std::uint8_t {
  balanced,   ///< t_max / t_min - 1 was within the tolerance
  repeated,   ///< the next shares had been measured before
  two_cycle,  ///< CPM alternated between two sets of shares until the limit of passes
  cap         ///< the limit of passes was reached
};

/// Returns "balanced", "repeated", "2-cycle" or "cap".
inline const char* to_string(Ending ending) {
  switch (ending) {
    case Ending::balanced:
      return "balanced";
    case Ending::repeated:
      return "repeated";
    case Ending::two_cycle:
      return "2-cycle";
    case Ending::cap:
      break;
  }
  return "cap";
}

/// Result of a partitioning algorithm: the partition and how it was found.
struct Partitioning {
  Partition partition;
  PerWorker<std::int64_t> w;    ///< blocks that the shares assign to each node
  PerWorker<double> times_s;    ///< time of an update on each node's slowest device
  double imbalance = 0;         ///< t_max / t_min - 1 over the nodes
  int passes = 0;               ///< number of times that all nodes were measured
  double cost_s = 0;            ///< duration of all measurements, of devices too
  Ending ending = Ending::cap;  ///< why the passes over nodes ended
  std::int64_t two_cycles = 0;  ///< nodes whose devices' level ended in a 2-cycle
};

}  // namespace starport::spmd
