// The published algorithms for distributed products: HeteroPar'12 and HCW'06.
#pragma once

#include "heuristics/spmd/inpa.hpp"
#include "sim/spmd/distribution.hpp"

#include <cstdint>
#include <variant>

namespace starport::spmd {

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
