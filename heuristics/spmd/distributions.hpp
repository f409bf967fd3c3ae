// The algorithms for distributed products of HeteroPar'12 and HCW'06, and their registry.
#pragma once

#include "heuristics/registry.hpp"
#include "heuristics/spmd/partitioning.hpp"
#include "sim/spmd/distribution.hpp"

#include <cstdint>
#include <variant>
#include <vector>

namespace starport::spmd {

/// Options of a HierarchicalDistribution (HeteroPar'12: C is divided among nodes, then among their
/// devices): the route of the pieces of A and B, and where the matrices are stored. A plain value.
struct HierarchicalParameters {
  /// Route of the pieces of A and B from their owners to the other nodes that need them: from each
  /// node to the next (chain) or from the owner to each (flat).
  Multicast multicast = Multicast::chain;
  /// Place of the matrices before and after the product: each worker has its parts, or a hub (a
  /// central computer) sends them to the workers first and receives those of C at the end.
  Home home = Home::workers;
};

/// Returns the parameters `multicast` ("chain", the default, or "flat") and `data` ("workers", the
/// default, or "hub"), which set `multicast` and `home` of HierarchicalParameters, for
/// make_entry().
std::vector<ParameterField<HierarchicalParameters>> product_fields();

/// Throws NotApplicable if the matrices are at a hub (a host at the switch that holds them) that
/// can send to several workers at a time.
void check_home(const Cluster& cluster, Home home);

/// The distribution of matrices of HeteroPar'12: divides C among nodes (workers), and the rectangle
/// of each node among its devices, by one of four balancing strategies. An immutable object that
/// refers to nothing else; made by the entries of distribution_registry() or directly.
class HierarchicalDistribution final : public Distribution {
 public:
  /// Type of the options of this distribution: route of the pieces and place of the matrices.
  using Parameters = HierarchicalParameters;
  /// Stores the balancing strategy (how shares follow from measured speeds), which plan() uses both
  /// for the nodes and for the devices of each node, and the parameters.
  explicit HierarchicalDistribution(BalancingStrategy strategy, Parameters parameters = {})
      : strategy_(strategy), parameters_(parameters) {}
  /// Returns a ProductPlan (the division of C among nodes and devices) for matrices of side x side
  /// blocks; the result does not refer to `cluster`. Requires side >= 1 (not checked); ignores
  /// `time_limit_s`. Throws NotApplicable if there are more workers than blocks, if a share tried
  /// while balancing is too large for a memory (without paging) or for the measured speeds of a
  /// device, or if the matrices are at a hub and the hub can send to several workers at a time;
  /// InputError if the cluster has no nodes or a node no devices.
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster, std::int64_t side,
                                           double time_limit_s) const override;

 private:
  BalancingStrategy strategy_;
  Parameters parameters_;
};

/// Options of a TwoProcessorDistribution (HCW'06: C is divided between two processors by a fixed
/// shape): which processors compute while messages travel, directions of the link, and how the size
/// of the slower one's part is chosen. A plain value.
struct PairParameters {
  /// Choice of the processors (none, the faster, both) that compute while messages travel; other
  /// values than `none` need the shape square corner (with others plan() throws NotApplicable).
  Overlap overlap = Overlap::none;
  /// True if the link between the two processors carries one message in each direction at the same
  /// time; false if it carries one message in all.
  bool both_directions = false;
  /// True if the size of the slower processor's part is the one of least makespan, found by trying
  /// all N - 1 sizes of square or columns for matrices of N x N elements (the smallest on ties);
  /// false if the areas are in proportion to the speeds. No effect with Shape::sequential.
  bool best_cut = false;
};

/// The distribution of matrices of HCW'06: divides C between two processors by a fixed shape; they
/// exchange a few large messages. An immutable object that refers to nothing else; made by the
/// entries of distribution_registry() or directly.
class TwoProcessorDistribution final : public Distribution {
 public:
  /// Type of the options of this distribution: overlap of messages and computation, directions of
  /// the link, and whether the parts have the sizes of least makespan or follow from the speeds.
  using Parameters = PairParameters;
  /// Stores the shape (square corner, columns or nothing) that plan() gives to the part of C of the
  /// slower processor, and the parameters.
  explicit TwoProcessorDistribution(Shape shape, Parameters parameters = {})
      : shape_(shape), parameters_(parameters) {}
  /// Returns a PairPlan (the messages and the work of both processors) for matrices of side x side
  /// blocks; the result does not refer to `cluster`. A worker's speed is the sum of its devices';
  /// the first worker is the faster processor, P1, if both are equal. The link has the smaller
  /// bandwidth of the two workers' links and the sum of their latencies. Requires side >= 1 (not
  /// checked); ignores `time_limit_s`. Throws NotApplicable unless there are exactly two workers,
  /// the speed of each is independent of the size of its updates, and their memories suffice, even
  /// for workers with paging; also if a processor is to compute while messages travel (an overlap
  /// other than `none`) and the shape given to the constructor is not Shape::square_corner.
  std::variant<ProductPlan, PairPlan> plan(const Cluster& cluster, std::int64_t side,
                                           double time_limit_s) const override;

 private:
  Shape shape_;
  Parameters parameters_;
};

/// Returns the built-in algorithms for distributed products (which divide A, B and C among workers)
/// with their names, parameters and factories, in the order in which they are listed to users.
/// Created at the first call, which is thread-safe; constant and valid until the program ends.
const std::vector<Entry<Distribution>>& distribution_registry();

}  // namespace starport::spmd
