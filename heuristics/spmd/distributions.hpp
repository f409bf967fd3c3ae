// The algorithms for distributed products of HeteroPar'12 and HCW'06, and their registry.
#pragma once

#include "heuristics/registry.hpp"
#include "heuristics/spmd/partitioning.hpp"
#include "sim/spmd/distribution.hpp"

#include <cstdint>
#include <variant>
#include <vector>

namespace starport::spmd {

/// Parameters of HierarchicalDistribution: how pieces of A and B travel, and where the matrices are
/// stored.
struct HierarchicalParameters {
  /// Route of the pieces of A and B from their owners to the other nodes.
  Multicast multicast = Multicast::chain;
  /// Place of the matrices before and after the iterations.
  Home home = Home::workers;
};

/// The distribution of HeteroPar'12: divides C among nodes, and the rectangle of each node among
/// its devices, by one of four balancing strategies.
class HierarchicalDistribution final : public Distribution {
 public:
  /// Type of the parameters.
  using Parameters = HierarchicalParameters;
  /// Stores the balancing strategy, which plan() uses for the nodes and for the devices of each
  /// node.
  explicit HierarchicalDistribution(BalancingStrategy strategy, Parameters parameters = {})
      : strategy_(strategy), parameters_(parameters) {}
  /// Returns a ProductPlan for side x side blocks, side >= 1. Throws NotApplicable if there are
  /// more workers than blocks, if a measured speed does not cover a size or a memory is too small,
  /// or if the matrices are at a hub and the platform has several ports.
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                           std::int64_t side) const override;

 private:
  BalancingStrategy strategy_;
  Parameters parameters_;
};

/// Parameters of TwoProcessorDistribution.
struct PairParameters {
  /// Choice of the processors that compute while messages travel; other values than `none` need the
  /// square corner.
  Overlap overlap = Overlap::none;
  /// True if the link carries one message in each direction at the same time; false if it carries
  /// one message in all.
  bool both_directions = false;
  /// True for the size of the slower processor's part with the least makespan, found by trying all
  /// N - 1 sizes; false for areas in proportion to the speeds.
  bool best_cut = false;
};

/// The distribution of HCW'06: divides C between two processors by a fixed shape.
class TwoProcessorDistribution final : public Distribution {
 public:
  /// Type of the parameters.
  using Parameters = PairParameters;
  /// Stores the shape that plan() gives to the part of C of the slower processor.
  explicit TwoProcessorDistribution(Shape shape, Parameters parameters = {})
      : shape_(shape), parameters_(parameters) {}
  /// Returns a PairPlan for side x side blocks, side >= 1. Throws NotApplicable unless there are
  /// exactly two workers, the speed of each is independent of the size, their memories suffice, and
  /// the shape allows the overlap.
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                           std::int64_t side) const override;

 private:
  Shape shape_;
  Parameters parameters_;
};

/// Returns the algorithms for distributed products with their names, parameters and factories, in
/// the order in which they are listed to users. The list is constant and valid until the program
/// ends.
const std::vector<Entry<Distribution>>& distribution_registry();

}  // namespace starport::spmd
