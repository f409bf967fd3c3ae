// The platform of a distributed product: nodes with devices behind a switch.
#pragma once

#include "sim/platform/device.hpp"
#include "sim/platform/per_worker.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/speed_function.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::spmd {

/// One device of a node. `measured` is its speed function in block updates/s by blocks of C; empty
/// if it was not measured.
struct Processor {
  Device device;
  SpeedFunction measured;
};

/// A worker: its memory holds its blocks of A, B and C, and its link connects it to the switch.
struct Node {
  std::vector<Processor> processors;
  double memory_bytes = 0;
  /// Slow-down per unit of memory used beyond the memory; nullopt: it must not be exceeded.
  std::optional<double> paging;
  double bandwidth_bytes_per_s = 0;  ///< in each direction
  double latency_s = 0;
  std::size_t kind = 0;  ///< nodes of the same kind are identical
};

/// The nodes of a distributed product, for a given block size.
struct Cluster {
  std::string name;
  std::int64_t block_size = 0;  ///< b, in matrix elements
  PerWorker<Node> nodes;
  bool one_at_a_time = true;  ///< the hub performs one transfer at a time

  double block_bytes() const;
  /// Returns the factor by which paging slows down a node that holds `blocks` blocks of each of A,
  /// B and C; 1 if they fit in memory. Throws NotApplicable if they do not and the node has no
  /// `paging`.
  double paging_factor(const Node& node, std::int64_t blocks) const;
  /// Returns the time of C' += A(b) B(b) on one device, in seconds, for C' of `rows` x b rows and
  /// `columns` columns of elements, on a node that holds `node_blocks` blocks of C. 0 if there are
  /// no columns. Throws NotApplicable if the speed is not known for this size or the memory is too
  /// small.
  double update_s(const Node& node, std::size_t device, std::int64_t rows, std::int64_t columns,
                  std::int64_t node_blocks) const;
};

/// Returns the cluster of a platform file for blocks of `block_size` elements. A worker without
/// devices becomes one device. Throws InputError if a speed function has fewer than two sizes or
/// its times do not increase, or if a worker shares the master's memory.
Cluster make_cluster(const PlatformFile& file, std::int64_t block_size);

}  // namespace starport::spmd
