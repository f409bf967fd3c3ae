// The algorithms for distributed products of HeteroPar'12 and HCW'06.
#pragma once

#include "heuristics/spmd/partitioning.hpp"
#include "sim/spmd/distribution.hpp"

#include <cstdint>
#include <variant>

namespace starport::spmd {

/// Parameters of HierarchicalDistribution.
struct HierarchicalParameters {
  Multicast multicast = Multicast::chain;
  Home home = Home::workers;
};

/// The distribution of HeteroPar'12: divides C among nodes and their devices by one of four
/// strategies.
class HierarchicalDistribution final : public Distribution {
 public:
  using Parameters = HierarchicalParameters;
  explicit HierarchicalDistribution(BalancingStrategy strategy, Parameters parameters = {})
      : strategy_(strategy), parameters_(parameters) {}
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                           std::int64_t side) const override;

 private:
  BalancingStrategy strategy_;
  Parameters parameters_;
};

/// Parameters of TwoProcessorDistribution.
struct PairParameters {
  Overlap overlap = Overlap::none;
  bool both_directions = false;  ///< the link carries one message in each direction at a time
  bool best_cut = false;         ///< shares of least makespan instead of shares by speed
};

/// The distribution of HCW'06: divides C between two processors by a fixed shape.
class TwoProcessorDistribution final : public Distribution {
 public:
  using Parameters = PairParameters;
  explicit TwoProcessorDistribution(Shape shape, Parameters parameters = {})
      : shape_(shape), parameters_(parameters) {}
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                           std::int64_t side) const override;

 private:
  Shape shape_;
  Parameters parameters_;
};

}  // namespace starport::spmd
