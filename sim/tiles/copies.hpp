// The state of every copy of every tile: absent, in flight or valid at each memory node.
#pragma once

#include "sim/tiles/platform.hpp"
#include "sim/tiles/task.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::tiles {

/// State of the copy of a tile at one memory node. `in_flight` means that a transfer to the node
/// has been requested and has not ended.
enum class CopyState : std::uint8_t { absent, in_flight, valid };

/// Table of copy states by memory node and tile. The Runtime updates it; strategies read it.
class Copies {
 public:
  /// Starts with a valid copy of each tile at the hub and no other copies.
  Copies(int nodes, Tile tiles)
      : nodes_(nodes),
        tiles_(static_cast<std::size_t>(tiles)),
        states_(static_cast<std::size_t>(nodes) * tiles_, CopyState::absent) {
    std::fill_n(states_.begin(), tiles_, CopyState::valid);
  }

  CopyState state(int node, Tile tile) const { return states_[index(node, tile)]; }
  void set_state(int node, Tile tile, CopyState state) { states_[index(node, tile)] = state; }
  bool is_absent(int node, Tile tile) const { return state(node, tile) == CopyState::absent; }
  bool is_valid(int node, Tile tile) const { return state(node, tile) == CopyState::valid; }
  /// True if all operands are valid at `node`, so that the task can start there.
  bool are_valid(int node, const Operands& operands) const {
    return is_valid(node, operands.target) && is_valid(node, operands.first) &&
           is_valid(node, operands.second);
  }
  /// Returns the number of operands that are absent at `node`, from 0 to 3: the cost of a task
  /// (ICPP'18, section 4.2). Operands in flight do not count.
  int transfer_cost(int node, const Operands& operands) const {
    return int{is_absent(node, operands.target)} + int{is_absent(node, operands.first)} +
           int{!operands.reduction && is_absent(node, operands.second)};
  }
  /// Returns the node to copy a tile from: the hub if its copy is valid, otherwise the first GPU
  /// with a valid copy. Returns nodes() if there is no valid copy.
  int source(Tile tile) const {
    int node = kHub;
    while (node < nodes_ && !is_valid(node, tile)) ++node;
    return node;
  }
  /// Returns the number of memory nodes, the hub included.
  int nodes() const { return nodes_; }

 private:
  std::size_t index(int node, Tile tile) const {
    return static_cast<std::size_t>(node) * tiles_ + static_cast<std::size_t>(tile);
  }

  int nodes_;
  std::size_t tiles_;
  std::vector<CopyState> states_;  ///< node by node
};

}  // namespace starport::tiles
