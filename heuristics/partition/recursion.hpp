// Dividing a box among a group of areas, piece by piece: what RP, NRRP and their kin in three
// dimensions do, each with its own rule.
#pragma once

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/geometry.hpp"

#include <vector>

namespace starport::partition {

/// A group with the box that it shares.
template <std::size_t D>
struct Node {
  Group group;
  Box<D> box;
};

template <std::size_t D>
class Recursion {
 public:
  explicit Recursion(const SortedAreas& areas) : areas_(areas), open_{{areas.all(), {}}} {
    partition_.zones.resize(areas.processors());
  }

  /// `divide` is called on each node of two areas or more, and calls one of guillotine(), corner().
  template <class Divide>
  Partition<D> run(Divide divide) {
    while (!open_.empty()) {
      const Node<D> node = open_.back();
      open_.pop_back();
      if (node.group.size() > 1) {
        divide(node);
      } else {
        give(node.group.begin, {node.box}, node.box.cost());
      }
    }
    return std::move(partition_);
  }

  /// Cuts the longest side in proportion to the areas before k and from k on.
  void guillotine(const Node<D>& node, std::size_t k) {
    const std::size_t axis = node.box.axes_by_length().front();
    const Group small = node.group.until(k);
    Node<D> first{small, node.box};
    Node<D> second{node.group.from(k), node.box};
    const Interval side = node.box.sides[axis];
    const double edge = side.from + side.length() * areas_.share(small, node.group);
    first.box.sides[axis].to = second.box.sides[axis].from = std::min(edge, side.to);
    open_.push_back(second);
    open_.push_back(first);
  }

  /// The largest area surrounds a box with the others in the corner (x1, y1, ...). `lengths` are
  /// those of the box, along the longest side first. A length of the whole side makes it reach from
  /// face to face, whereby the zone around it saves `saved` of its cost.
  void corner(const Node<D>& node, const std::array<double, D>& lengths, double saved = 0) {
    Node<D> inner{node.group.rest(), node.box};
    Zone<D> around;
    const auto axes = node.box.axes_by_length();
    for (std::size_t at = 0; at < D; ++at) {
      Interval& side = inner.box.sides[axes[at]];
      const double edge = side.from + lengths[at];
      if (lengths[at] >= side.length() || edge >= side.to) continue;
      Box<D> piece = inner.box;
      piece.sides[axes[at]].from = side.to = edge;
      around.push_back(piece);
    }
    give(node.group.end - 1, around, node.box.cost() - saved);
    open_.push_back(inner);
  }

 private:
  void give(std::size_t k, const Zone<D>& zone, double cost) {
    partition_.zones[areas_.processor(k)] = zone;
    partition_.cost += cost;
  }

  const SortedAreas& areas_;
  std::vector<Node<D>> open_;  // a stack of its own: thousands of cuts may lie inside each other
  Partition<D> partition_;
};

}  // namespace starport::partition
