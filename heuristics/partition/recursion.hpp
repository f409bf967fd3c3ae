// The framework of recursive partitioning, which RP, NRRP and NRRP3D fill with their rules.
#pragma once

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/geometry.hpp"

#include <vector>

namespace starport::partition {

/// A subproblem of a recursive partition: a box to be divided among consecutive areas of a
/// SortedAreas object, one per processor. Made by RecursivePartitioner and passed to its caller's
/// rule, which hands it back to cut() or place_in_corner().
template <std::size_t D>
struct Node {
  /// Areas to place in the box, one per processor, as a half-open range of indices, from 0 and in
  /// ascending order of the areas, into the SortedAreas that the partitioner was given. They sum to
  /// the volume (or area) of `box`, up to rounding.
  AreaRange range;
  /// Part of the unit square or cube to be divided among the areas of `range`.
  Box<D> box;
};

/// Partitioner of the unit square (D = 2) or cube (D = 3), or of another box of volume 1, among
/// processors, each of which gets its area of a SortedAreas object. Repeatedly divides one box into
/// two parts as a rule, a function of the caller, decides. Use: construct one object per partition
/// and call partition() once with a rule that calls cut() or place_in_corner() of that object.
/// Keeps a reference to the areas, which must outlive it.
template <std::size_t D>
class RecursivePartitioner {
 public:
  /// Starts with `whole`, a box of volume 1 (not checked), to be divided among all of `areas` (the
  /// fractions for the processors), as the only subproblem. `areas` is kept by reference and must
  /// outlive this object.
  RecursivePartitioner(const SortedAreas& areas, const Box<D>& whole)
      : areas_(areas), open_{{areas.all(), whole}} {
    partition_.whole = whole;
    partition_.zones.resize(areas.processor_count());
  }

  /// Calls divide(node) for each subproblem (a box with the areas to place in it) with two or more
  /// areas, depth first, until every area has its zone, and returns the partition. `divide` must
  /// call either cut() or place_in_corner() once with that node; without a call, the areas of the
  /// node get no zones. The node passed is valid only during the call. Exceptions of `divide` pass
  /// through, after which this object is useless (zones are missing). Can be called only once:
  /// later calls do not compute anything and return a moved-from partition.
  template <class Divide>
  Partition<D> partition(Divide divide) {
    while (!open_.empty()) {
      const Node<D> node = open_.back();
      open_.pop_back();
      if (node.range.size() > 1) {
        divide(node);
      } else {
        assign_zone(node.range.begin, {node.box}, node.box.cost());
      }
    }
    return std::move(partition_);
  }

  /// Divides the box of the subproblem `node` by a cut across its longest side (the first of x, y,
  /// z on ties): the part of lower coordinates for the areas before index k (from 0, in ascending
  /// order of all areas), the upper part for those from k on, in proportion to their sums. Requires
  /// range.begin < k < range.end for the range of `node` (not checked). To be called only from the
  /// rule passed to partition(), with the node that the rule got.
  void cut(const Node<D>& node, std::size_t k) {
    const std::size_t axis = node.box.axes_by_length().front();
    const AreaRange smaller = node.range.before(k);
    Node<D> first{smaller, node.box};
    Node<D> second{node.range.from(k), node.box};
    const Interval side = node.box.sides[axis];
    const double edge = side.from + side.length() * areas_.share(smaller, node.range);
    first.box.sides[axis].to = second.box.sides[axis].from = std::min(edge, side.to);
    open_.push_back(second);
    open_.push_back(first);
  }

  /// Places a box for all but the largest area of the subproblem `node` in the corner of least
  /// coordinates of node.box; the largest area gets the rest of node.box as its zone. `lengths` are
  /// the lengths of the corner box, from the longest side of node.box to the shortest
  /// (axes_by_length()); their product must be the sum of the areas in the corner (not checked). A
  /// length not less than the side is cut to it, which makes the corner box a prism. The cost (sum
  /// of the sizes of the projections) counted for the zone of the largest area is that of node.box
  /// minus `saved`, which the caller computes. Requires a node of two or more areas (not checked).
  /// To be called only from the rule passed to partition(), with the node that the rule got.
  void place_in_corner(const Node<D>& node, const std::array<double, D>& lengths,
                       double saved = 0) {
    Node<D> inner{node.range.without_largest(), node.box};
    Zone<D> around;
    const auto axes = node.box.axes_by_length();
    for (std::size_t i = 0; i < D; ++i) {
      Interval& side = inner.box.sides[axes[i]];
      const double edge = side.from + lengths[i];
      if (!is_less(lengths[i], side.length()) || edge >= side.to) continue;
      Box<D> piece = inner.box;
      piece.sides[axes[i]].from = side.to = edge;
      around.push_back(piece);
    }
    assign_zone(node.range.end - 1, around, node.box.cost() - saved);
    open_.push_back(inner);
  }

 private:
  void assign_zone(std::size_t k, const Zone<D>& zone, double cost) {
    partition_.zones[areas_.processor(k)] = zone;
    partition_.cost += cost;
  }

  const SortedAreas& areas_;
  std::vector<Node<D>> open_;  ///< an explicit stack, since thousands of cuts may be nested
  Partition<D> partition_;
};

}  // namespace starport::partition
