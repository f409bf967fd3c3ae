// The platform as a distributed product sees it: nodes of devices behind a switch.
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

/// One device, with what was measured of it, if anything was: blocks of C, block updates a second.
struct Processor {
  Device device;
  SpeedFunction measured;
};

/// A worker: its blocks of A, B and C lie in its memory, and its link goes to the switch.
struct Node {
  std::vector<Processor> processors;
  double memory_bytes = 0;
  std::optional<double> paging;      ///< as a platform file has it
  double bandwidth_bytes_per_s = 0;  ///< each way
  double latency_s = 0;
  std::size_t kind = 0;  ///< nodes of one kind are alike
};

struct Cluster {
  std::string name;
  std::int64_t block_size = 0;  ///< b
  PerWorker<Node> nodes;
  bool one_at_a_time = true;  ///< what the hub sends or receives

  double block_bytes() const;
  /// So many times as long takes what a node computes while it holds `blocks` blocks of C, and as
  /// many of A and of B. Throws NotApplicable where there is no room.
  double paging_factor(const Node& node, std::int64_t blocks) const;
  /// Time of C' += A(b) B(b) on one device: `rows` x b rows, `columns` columns, on a node that
  /// holds `node_blocks` blocks of C. Nothing where there are no columns. Throws NotApplicable
  /// where the speed is not known or the memory has no room.
  double update_s(const Node& node, std::size_t device, std::int64_t rows, std::int64_t columns,
                  std::int64_t node_blocks) const;
};

/// For blocks of b x b; workers without devices are one device. Throws InputError where a speed
/// function has no two sizes, or its time does not increase.
Cluster make_cluster(const PlatformFile& file, std::int64_t block_size);

}  // namespace starport::spmd
