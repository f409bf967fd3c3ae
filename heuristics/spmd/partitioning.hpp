// Two-level partitioning of a product among nodes and their devices (HeteroPar'12, section 3).
#pragma once

#include "heuristics/spmd/balance.hpp"
#include "sim/spmd/partition.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace starport::spmd {

/// Returns the time in seconds of the kernel on device j for d >= 1 columns of elements.
using DeviceKernel = std::function<double(std::size_t j, std::int64_t d)>;

/// Returns the time in seconds of the kernel on device j of node i for d >= 1 columns of elements,
/// if the node holds m x n blocks.
using NodeKernel = std::function<double(std::int64_t i, std::size_t j, std::int64_t m,
                                        std::int64_t n, std::int64_t d)>;

/// Limits of balancing the devices of a node.
inline constexpr PassLimits kDevicePassLimits{.tolerance = 0.03, .max_passes = 21};
/// Limits of balancing the nodes.
inline constexpr PassLimits kNodePassLimits{.tolerance = 0.10, .max_passes = 41};

/// A product of side x side blocks of block_size x block_size elements to be partitioned.
struct PartitioningProblem {
  std::int64_t side = 0;
  std::int64_t block_size = 0;
  PerWorker<std::size_t> devices;  ///< p_i, number of devices by node
};

/// The inter-device partitioning algorithm (IDPA): divides the `columns` columns of elements of a
/// node into one slice per device.
BalanceResult idpa(std::int64_t columns, std::size_t devices, BalancingStrategy strategy,
                   const DeviceKernel& kernel, const PassLimits& limits = kDevicePassLimits);

/// The inter-node partitioning algorithm (INPA): divides the blocks among the nodes with cma() and
/// the rectangle of each node among its devices with idpa(). Throws NotApplicable if there are more
/// nodes than blocks.
Partitioning inpa(const PartitioningProblem& problem, BalancingStrategy strategy,
                  const NodeKernel& kernel, const PassLimits& node_limits = kNodePassLimits,
                  const PassLimits& device_limits = kDevicePassLimits);

}  // namespace starport::spmd
