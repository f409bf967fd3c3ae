// Two-level partitioning of a product among nodes and their devices (HeteroPar'12, section 3).
#pragma once

#include "heuristics/spmd/balance.hpp"
#include "sim/spmd/partition.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace starport::spmd {

/// Function that returns the time in seconds, greater than 0, of the kernel (one update of C) on
/// device j (from 0) of a node; the device has d >= 1 columns of matrix elements of the node's part
/// of C. Called only while idpa() runs; its exceptions pass through.
using DeviceKernel = std::function<double(std::size_t j, std::int64_t d)>;

/// Function that returns the time in seconds, greater than 0, of the kernel (one update of C) on
/// device j of node i, both from 0. The node holds m x n blocks of C (m block rows, n block
/// columns), of which the device has d >= 1 columns of matrix elements. Called only while inpa()
/// runs; its exceptions pass through.
using NodeKernel = std::function<double(std::int64_t i, std::size_t j, std::int64_t m,
                                        std::int64_t n, std::int64_t d)>;

/// Default limits of dividing work among the devices of a node: accepted imbalance 3 % (longest
/// over shortest time minus 1), at most 21 passes of measuring all devices and dividing anew.
inline constexpr PassLimits kDevicePassLimits{.tolerance = 0.03, .max_passes = 21};
/// Default limits of dividing work among the nodes: accepted imbalance 10 % (longest over shortest
/// time minus 1), at most 41 passes of measuring all nodes and dividing anew.
inline constexpr PassLimits kNodePassLimits{.tolerance = 0.10, .max_passes = 41};

/// A product of side x side blocks of block_size x block_size elements whose matrix C is to be
/// partitioned among nodes and their devices: the input of inpa().
struct PartitioningProblem {
  /// Number of blocks per side of the matrix C; at least 1 (not checked).
  std::int64_t side = 0;
  /// Number of matrix elements per side of a block; at least 1 (not checked).
  std::int64_t block_size = 0;
  /// Number of devices of each node, by index from 0; at least 1 each (inpa() throws InputError for
  /// 0).
  PerWorker<std::size_t> devices;
};

/// The inter-device partitioning algorithm (IDPA): divides `columns` columns of matrix elements of
/// a node's part of C into one slice (a number of columns) for each of `devices` devices; these are
/// the `shares` of the result. Measures and divides anew by `strategy` until balanced within
/// `limits`, shares repeat, or the passes are used up; BalancingStrategy::functional first measures
/// one column on each device, which is not a pass. Calls `kernel` for each measurement and does not
/// keep it; its exceptions pass through. The cost in the result, in seconds, includes the first
/// measurement and takes devices as measured at the same time. Throws InputError if `devices` is 0.
/// `columns` must be 0 or more (not checked).
BalanceResult idpa(std::int64_t columns, std::size_t devices, BalancingStrategy strategy,
                   const DeviceKernel& kernel, const PassLimits& limits = kDevicePassLimits);

/// The inter-node partitioning algorithm (INPA): divides the blocks of C among the nodes with cma()
/// and the rectangle of each node among its devices with idpa(), measuring with `kernel` (not kept)
/// and dividing anew by `strategy` until balanced within the limits, shares repeat, or the passes
/// are used up; BalancingStrategy::functional first measures one block on each node, which is not a
/// pass. Throws NotApplicable if there are more nodes than blocks, and InputError if there are no
/// nodes or a node has no device. Exceptions of `kernel` pass through. problem.side and
/// problem.block_size must be at least 1 (not checked).
Partitioning inpa(const PartitioningProblem& problem, BalancingStrategy strategy,
                  const NodeKernel& kernel, const PassLimits& node_limits = kNodePassLimits,
                  const PassLimits& device_limits = kDevicePassLimits);

}  // namespace starport::spmd
