// Partitions of a product over nodes: A, B and C are divided in the same way.
#pragma once

#include "sim/platform/platform.hpp"

#include <cstdint>
#include <vector>

namespace starport::spmd {

/// The part of C that one node (worker) computes: a rectangle of m x n blocks from block (row,
/// column) on (HeteroPar'12, Figure 1a).
struct NodeRectangle {
  /// Index, from 0, of the first block row of the rectangle.
  std::int64_t row = 0;
  /// Index, from 0, of the first block column of the rectangle.
  std::int64_t column = 0;
  /// Height of the rectangle in blocks.
  std::int64_t m = 0;
  /// Width of the rectangle in blocks.
  std::int64_t n = 0;

  /// Returns the number of blocks of C in the rectangle, m * n.
  std::int64_t blocks() const { return m * n; }
  bool operator==(const NodeRectangle&) const = default;
};

/// A division of the side x side blocks of C into columns of full height, each cut across into
/// rectangles of the column's width, one rectangle per node (worker, numbered from 0). Made by the
/// partitioning algorithms. Not checked; find_fault() checks the rectangles, but not `columns`.
struct Arrangement {
  /// Number of blocks per side of C: N / b for N x N elements in blocks of b x b.
  std::int64_t side = 0;
  /// Rectangle of C that each node (worker) computes, by node from 0.
  PerWorker<NodeRectangle> rectangles;
  /// Nodes (numbers from 0) whose rectangles stand in each column, from top to bottom; columns from
  /// left to right.
  std::vector<std::vector<std::int64_t>> columns;

  /// Returns the sum of height plus width over the rectangles of C of all nodes, in blocks: a
  /// measure of the communication; 0 without nodes.
  std::int64_t half_perimeters() const {
    std::int64_t sum = 0;
    for (const NodeRectangle& rectangle : rectangles) sum += rectangle.m + rectangle.n;
    return sum;
  }
};

/// A partition of C among devices: one rectangle per node (worker), divided into vertical slices
/// for the node's devices (HeteroPar'12, Figure 1b). Not checked (see find_fault()).
struct Partition {
  /// Rectangles of C, in blocks, that the nodes (workers) compute.
  Arrangement arrangement;
  /// Widths, in columns of elements (not blocks), of the vertical slices of each node's rectangle,
  /// by node and device, from left to right; 0 for a device without work.
  PerWorker<std::vector<std::int64_t>> slices;
};

/// Reason why an iterative partitioning algorithm ended, each pass of which measures how long the
/// nodes, or the devices of a node, take for their shares of C and divides C again: the times were
/// equal within a tolerance (`balanced`), the next shares had been measured before (`repeated`), or
/// the limit of passes was reached (`two_cycle` if two sets of shares alternated, otherwise `cap`).
enum class Ending : std::uint8_t {
  balanced,   ///< longest over shortest measured time, minus 1, was within the tolerance
  repeated,   ///< the next shares had been measured before
  two_cycle,  ///< constant speed models (CPM) alternated between two sets of shares until the limit
              ///< of passes
  cap         ///< the limit on the number of passes was reached
};

/// Returns the name in reports of the reason why an iterative partitioning algorithm ended:
/// "balanced", "repeated", "2-cycle" or "cap"; a string literal.
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

/// Result of a partitioning algorithm: the partition of C, the predicted times of the nodes, and
/// how the algorithm found it (passes, time of measuring, ending). Refers to nothing.
struct Partitioning {
  /// The partition of C that was found: the rectangles of the nodes, in blocks, and the slices of
  /// their devices, in columns of elements.
  Partition partition;
  /// Number of blocks of C that each node (from 0) should compute by the algorithm; its rectangle
  /// may have another number.
  PerWorker<std::int64_t> w;
  /// Predicted duration in seconds of the update of C in one iteration on each node (from 0): that
  /// of its slowest device with this partition, computed from the speeds of the cluster, without
  /// communication and noise. Greater than 0.
  PerWorker<double> times_s;
  /// Longest over shortest time of a node in `times_s`, minus 1; 0: balanced.
  double imbalance = 0;
  /// Number of passes of the partitioning algorithm over the nodes, each with a measurement of all
  /// nodes; 0 if external code divides C. Measurements that do not count: that of one block per
  /// node with which functional models (FPM) start, and that of the last division if the limit of
  /// passes ended constant models (CPM).
  int passes = 0;
  /// Duration in seconds of all measurements that the partitioning algorithm needs, those of single
  /// devices included; in each, all nodes measure at the same time. 0 if external code divides C.
  double cost_s = 0;
  /// Reason why the passes of the partitioning algorithm over the nodes ended; Ending::cap if all
  /// nodes got even shares regardless of their speeds, Ending::balanced if external code divides C.
  Ending ending = Ending::cap;
  /// Number of nodes whose rectangle in `partition` was divided among devices with
  /// Ending::two_cycle (alternating between two sets of shares until the limit of passes).
  std::int64_t two_cycles = 0;
};

}  // namespace starport::spmd
