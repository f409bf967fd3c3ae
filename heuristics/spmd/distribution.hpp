// An algorithm for products that are distributed before the start: who has what, and who sends it
// to whom.
#pragma once

#include "heuristics/spmd/inpa.hpp"
#include "sim/platform/problem.hpp"
#include "sim/spmd/cluster.hpp"
#include "sim/spmd/outer_product.hpp"
#include "sim/spmd/two_processors.hpp"
#include "sim/study/model.hpp"

#include <string_view>
#include <variant>

namespace starport::spmd {

/// The blocked outer product on rectangles.
struct ProductPlan {
  Partitioning partitioning;
  ProductRules rules;
};

/// Two processors and their messages.
struct PairPlan {
  TwoProcessors problem;
  BulkPlan bulk;
};

class Distribution : public Algorithm {
 public:
  std::string_view model() const override { return "spmd"; }

  /// Of an N x N product, N / b = side. Throws NotApplicable when the cluster is not of the kind
  /// that the algorithm is for.
  virtual std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                                   std::int64_t side) const = 0;
};

struct HierarchicalParameters {
  Multicast multicast = Multicast::chain;
  Home home = Home::workers;
};

/// HeteroPar'12: nodes and devices, by one of its four strategies.
class Hierarchical final : public Distribution {
 public:
  using Parameters = HierarchicalParameters;
  explicit Hierarchical(Strategy strategy, Parameters parameters = {})
      : strategy_(strategy), parameters_(parameters) {}
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                           std::int64_t side) const override;

 private:
  Strategy strategy_;
  Parameters parameters_;
};

struct PairParameters {
  Overlap overlap = Overlap::none;
  bool both_directions = false;
  bool best_cut = false;  ///< of least makespan; else by area
};

/// HCW'06: two processors.
class Pair final : public Distribution {
 public:
  using Parameters = PairParameters;
  explicit Pair(Shape shape, Parameters parameters = {}) : shape_(shape), parameters_(parameters) {}
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                           std::int64_t side) const override;

 private:
  Shape shape_;
  Parameters parameters_;
};

}  // namespace starport::spmd
