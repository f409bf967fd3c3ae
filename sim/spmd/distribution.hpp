// The interface between the model of distributed products and its algorithms (HeteroPar'12,
// HCW'06).
#pragma once

#include "sim/results/model.hpp"
#include "sim/spmd/cluster.hpp"
#include "sim/spmd/outer_product.hpp"
#include "sim/spmd/partition.hpp"
#include "sim/spmd/two_processors.hpp"

#include <cstdint>
#include <string_view>
#include <variant>

namespace starport::spmd {

/// Plan of a blocked outer product on rectangles of C (HeteroPar'12, section 2).
struct ProductPlan {
  /// Partition of C among nodes and devices, and how it was found.
  Partitioning partitioning;
  /// Routes of messages and place of the matrices.
  ProductRules rules;
};

/// Plan of a product on two processors that exchange a few large messages (HCW'06, section 3).
struct PairPlan {
  /// Matrix size, speeds and link.
  TwoProcessors problem;
  /// Messages and work of both processors.
  BulkPlan bulk;
};

/// An algorithm that decides before the start which worker owns which part of A, B and C.
/// Immutable.
class Distribution : public Algorithm {
 public:
  /// Returns "spmd", the name of the model that runs this algorithm.
  std::string_view model() const override { return "spmd"; }

  /// Plans the product of N x N matrices of doubles, where N = side * cluster.block_size and side
  /// >= 1. Throws NotApplicable if the algorithm does not support this cluster, there are more
  /// workers than blocks of C, the memory is too small or the measured speeds do not cover the
  /// sizes needed; InputError if the cluster has no nodes or a node no devices.
  virtual std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                                   std::int64_t side) const = 0;
};

}  // namespace starport::spmd
