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

/// Plan of a blocked outer product on rectangles (HeteroPar'12, section 2).
struct ProductPlan {
  Partitioning partitioning;
  ProductRules rules;
};

/// Plan of a product on two processors that exchange bulk messages (HCW'06, section 3).
struct PairPlan {
  TwoProcessors problem;
  BulkPlan bulk;
};

/// An algorithm that decides before the start which worker owns which part of A, B and C.
class Distribution : public Algorithm {
 public:
  std::string_view model() const override { return "spmd"; }

  /// Plans the product of N x N matrices, where N = side * cluster.block_size. Throws NotApplicable
  /// if the algorithm does not support this kind of cluster.
  virtual std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                                   std::int64_t side) const = 0;
};

}  // namespace starport::spmd
