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

/// The distribution of HeteroPar'12: divides C among nodes (workers), and the rectangle of each
/// node among its devices, by one of four balancing strategies. An immutable object that refers to
/// nothing else; made by the entries of distribution_registry() or directly.
class HierarchicalDistribution final : public Distribution {
 public:
  /// Type of the parameters.
  using Parameters = HierarchicalParameters;
  /// Stores the balancing strategy, which plan() uses both for the nodes and for the devices of
  /// each node, and the parameters.
  explicit HierarchicalDistribution(BalancingStrategy strategy, Parameters parameters = {})
      : strategy_(strategy), parameters_(parameters) {}
  /// Returns a ProductPlan for matrices of side x side blocks; the result does not refer to
  /// `cluster`. Requires side >= 1 (not checked). Throws NotApplicable if there are more workers
  /// than blocks, if a measured speed does not cover a size or a memory is too small, or if the
  /// matrices are at a hub and the platform has several ports; InputError if the cluster has no
  /// nodes or a node no devices.
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                           std::int64_t side) const override;

 private:
  BalancingStrategy strategy_;
  Parameters parameters_;
};

/// Parameters of TwoProcessorDistribution: overlap, directions of the link, and size of the slower
/// processor's part.
struct PairParameters {
  /// Choice of the processors that compute while messages travel; other values than `none` need the
  /// square corner.
  Overlap overlap = Overlap::none;
  /// True if the link carries one message in each direction at the same time; false if it carries
  /// one message in all.
  bool both_directions = false;
  /// True for the size of the slower processor's part with the least makespan, found by trying all
  /// N - 1 sizes of square or columns for matrices of N x N elements; false for areas in proportion
  /// to the speeds.
  bool best_cut = false;
};

/// The distribution of HCW'06: divides C between two processors by a fixed shape; they exchange a
/// few large messages. An immutable object that refers to nothing else; made by the entries of
/// distribution_registry() or directly.
class TwoProcessorDistribution final : public Distribution {
 public:
  /// Type of the parameters.
  using Parameters = PairParameters;
  /// Stores the shape that plan() gives to the part of C of the slower processor, and the
  /// parameters.
  explicit TwoProcessorDistribution(Shape shape, Parameters parameters = {})
      : shape_(shape), parameters_(parameters) {}
  /// Returns a PairPlan for matrices of side x side blocks; the result does not refer to `cluster`.
  /// Requires side >= 1 (not checked). Throws NotApplicable unless there are exactly two workers,
  /// the speed of each is independent of the size, their memories suffice, and the overlap is
  /// `none` or the shape the square corner.
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster,
                                           std::int64_t side) const override;

 private:
  Shape shape_;
  Parameters parameters_;
};

/// Returns the algorithms for distributed products with their names, parameters and factories, in
/// the order in which they are listed to users. Created at the first call, which is thread-safe;
/// constant and valid until the program ends.
const std::vector<Entry<Distribution>>& distribution_registry();

}  // namespace starport::spmd
