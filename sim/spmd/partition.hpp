// Who owns what: A, B and C are cut alike.
#pragma once

#include "sim/platform/per_worker.hpp"

#include <cstdint>
#include <vector>

namespace starport::spmd {

/// m x n blocks of C from block (row, column) on: bm x bn elements (HeteroPar'12, Figure 1a).
struct Rectangle {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t m = 0;
  std::int64_t n = 0;

  std::int64_t blocks() const { return m * n; }
  bool operator==(const Rectangle&) const = default;
};

/// Rectangles in node columns that cover the square; each node has one.
struct Arrangement {
  std::int64_t side = 0;  ///< N / b
  PerWorker<Rectangle> rectangles;
  std::vector<std::vector<std::int64_t>>
      columns;  ///< nodes: columns from the left, each from the top

  std::int64_t half_perimeters() const;  ///< sum of m + n, which communication follows
};

/// The same with each rectangle cut into vertical slices for the devices (Figure 1b).
struct Partition {
  Arrangement arrangement;
  PerWorker<std::vector<std::int64_t>> slices;  ///< d_ij, columns of elements
};

/// Why the passes ended.
enum class Ending : std::uint8_t {
  balanced,   ///< t_max / t_min - 1 was within the tolerance
  repeated,   ///< the next shares had been measured already
  two_cycle,  ///< CPM at the cap, between two sets of shares: the cap's parity chose
  cap         ///< no pass left
};

/// "balanced", "repeated", "2-cycle", "cap".
const char* to_string(Ending ending);

struct Partitioning {
  Partition partition;
  PerWorker<std::int64_t> w;    ///< blocks that each node was to have
  PerWorker<double> times_s;    ///< of an update, each node's slowest device
  double imbalance = 0;         ///< t_max / t_min - 1 over the nodes
  int passes = 0;               ///< measures of all nodes
  double cost_s = 0;            ///< how long all measures took, those of devices included
  Ending ending = Ending::cap;  ///< of the nodes' level
  std::int64_t two_cycles = 0;  ///< nodes whose devices' level ended in a 2-cycle
};

}  // namespace starport::spmd
