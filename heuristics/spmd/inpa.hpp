// The inter-node partitioning algorithm (HeteroPar'12, section 3).
#pragma once

#include "heuristics/spmd/idpa.hpp"
#include "sim/spmd/partition.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace starport::spmd {

/// The kernel on device j of node i, which holds m x n blocks: its time for d columns of elements.
using NodeKernel = std::function<double(std::int64_t i, std::size_t j, std::int64_t m,
                                        std::int64_t n, std::int64_t d)>;

inline constexpr Passes kInpaPasses{.tolerance = 0.10, .most = 41};

/// side x side blocks of b x b for nodes of so many devices.
struct PartitioningProblem {
  std::int64_t side = 0;
  std::int64_t block_size = 0;
  PerWorker<std::size_t> devices;  ///< p_i
};

Partitioning inpa(const PartitioningProblem& problem, Strategy strategy, const NodeKernel& kernel,
                  const Passes& node_passes = kInpaPasses,
                  const Passes& device_passes = kIdpaPasses);

}  // namespace starport::spmd
