// The platform of a distributed product: nodes with devices behind a switch.
#pragma once

#include "sim/platform/device.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/speed_function.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::spmd {

/// One device of a worker node, a CPU core or an accelerator, or a whole worker for which the
/// platform file lists no devices, with its measured speed if there is one. An element of
/// Node::processors.
struct Processor {
  /// Device as described in the platform file (bytes converted to 8 per matrix element); for a
  /// worker without devices, a nameless one with its speed. `count` does not apply: each device of
  /// a group has a Processor of its own.
  Device device;
  /// Measured speed in block updates (C_ij += A_ik B_kj) per second as a function of the number of
  /// blocks of C in an update, up to its last point (larger updates throw NotApplicable); below its
  /// first point the speed is that of the first. Empty if it was not measured: then the speed of
  /// `device` applies. The device's bus and the node's paging count in both cases.
  SpeedFunction measured;
};

/// A worker of a Cluster with its devices (cores, accelerators): its memory holds its blocks of A,
/// B and C, and its link connects it to the switch.
struct Node {
  /// Devices of the node, at least one; a device number is an index into this list, from 0.
  std::vector<Processor> processors;
  /// Memory of the node for its blocks of A, B and C, in bytes at 8 per matrix element, also if the
  /// platform file is for floats (Cluster::to_file_bytes()); above 0.
  double memory_bytes = 0;
  /// Slow-down by paging, at least 0: the updates of a node that holds f > 1 times its memory take
  /// 1 + paging * (f - 1) times as long. Empty: the memory must not be exceeded.
  std::optional<double> paging;
  /// Bandwidth of the node's link to the switch, in each direction, in bytes per second at 8 per
  /// matrix element, also if the platform file is for floats (Cluster::to_file_bytes()); above 0.
  double bandwidth_bytes_per_s = 0;
  /// Latency in seconds of each transfer over the node's link; at least 0.
  double latency_s = 0;
  /// Number of the node's kind (entry in the platform file), from 0: nodes of the same kind are
  /// identical.
  std::size_t kind = 0;
};

/// Bytes per matrix element, a double, in all memories and bandwidths of a Cluster, also if the
/// platform file is for floats.
inline constexpr double kElementBytes = 8;

/// The worker nodes of a distributed product C = A B of doubles, for a given block size. Nodes are
/// numbered from 0. Made by make_cluster(); refers to nothing.
struct Cluster {
  /// Name of the platform: the value of the key "name" in its file.
  std::string name;
  /// Side b of the square blocks into which the matrices are divided, in matrix elements.
  std::int64_t block_size = 0;
  /// The nodes (workers) by index from 0, in the order of the platform file; each entry gives
  /// `count` of them.
  PerWorker<Node> nodes;
  /// True if the platform's port is a one-port or two-port, false if a multi-port (several
  /// transfers at a time). If false, algorithms with a hub (a host at the switch that holds the
  /// matrices and sends to one worker at a time) throw NotApplicable.
  bool one_at_a_time = true;
  /// Bytes of a matrix element as the platform file has it: 8, or 4 for floats. Bandwidths and
  /// memories of the cluster count doubles, so that for floats they are twice those of the file.
  double file_element_bytes = kElementBytes;

  /// Returns an amount (bytes) or bandwidth (bytes/s) of this cluster, which counts 8 bytes per
  /// matrix element, in bytes at the element size of the platform file (file_element_bytes), for
  /// texts shown to users.
  double to_file_bytes(double bytes) const { return bytes * (file_element_bytes / kElementBytes); }
  /// Returns the size in bytes of one block, block_size x block_size doubles.
  double block_bytes() const;
  /// Returns the factor, at least 1, by which paging slows down the updates of a node that holds
  /// `blocks` blocks of each of A, B and C; 1 if they fit in memory. Throws NotApplicable if they
  /// do not and the node has no `paging`.
  double paging_factor(const Node& node, std::int64_t blocks) const;
  /// Returns the time in seconds, without noise, of one update on device `device` (index in
  /// node.processors, from 0) of `node`: its part of C += one block column of A times one block row
  /// of B, with the bus time; also, unless its speeds were measured, with the start-up time and the
  /// slow-down as C fills the device's own memory. The part is `rows` blocks of block_size elements
  /// high and `columns` elements wide; without columns the result is 0. The node holds
  /// `node_blocks` blocks of C in all, from which the slow-down by paging follows. `node` must be
  /// an element of `nodes` and have the device, which must have a speed unless its speeds were
  /// measured (undefined behaviour otherwise). Throws NotApplicable if the measured speeds end
  /// below this size, or the memory of the node is too small and it has no `paging`.
  double update_s(const Node& node, std::size_t device, std::int64_t rows, std::int64_t columns,
                  std::int64_t node_blocks) const;
};

/// Returns the worker nodes of a platform file as a cluster, for blocks of `block_size` x
/// `block_size` (at least 1, not checked) elements. A worker without devices becomes a node with
/// one device. If the file is for floats, bandwidths and memories are doubled, since a cluster
/// counts 8 bytes per element; speeds in flop/s stay the same. The start-up time of the run-time
/// system (PlatformFile::start_up_s) is ignored, and the result does not refer to the file. Throws
/// InputError with the path of the file if a worker shares the master's memory, a speed function
/// has, for this block size, fewer than two sizes, a size twice or times that do not increase, the
/// file gives raw durations for another block size, or it gives no valid star platform
/// (PlatformFile::at_block_size()), such as links that differ between the directions.
Cluster make_cluster(const PlatformFile& file, std::int64_t block_size);

}  // namespace starport::spmd
