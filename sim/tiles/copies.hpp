// Where the tiles are: a copy at a node is absent, in flight or valid.
#pragma once

#include "sim/tiles/platform.hpp"
#include "sim/tiles/task.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::tiles {

enum class Copy : std::uint8_t { absent, in_flight, valid };

class Copies {
 public:
  /// The hub holds everything.
  Copies(int nodes, Tile tiles)
      : nodes_(nodes),
        tiles_(static_cast<std::size_t>(tiles)),
        states_(static_cast<std::size_t>(nodes) * tiles_, Copy::absent) {
    std::fill_n(states_.begin(), tiles_, Copy::valid);
  }

  Copy at(int node, Tile tile) const { return states_[index(node, tile)]; }
  void set(int node, Tile tile, Copy state) { states_[index(node, tile)] = state; }
  bool absent(int node, Tile tile) const { return at(node, tile) == Copy::absent; }
  bool valid(int node, Tile tile) const { return at(node, tile) == Copy::valid; }
  bool ready(int node, const Needs& needs) const {
    return valid(node, needs.target) && valid(node, needs.first) && valid(node, needs.second);
  }
  /// How many of a task's tiles are absent there (ICPP'18, section 4.2).
  int cost(int node, const Needs& needs) const {
    return int{absent(node, needs.target)} + int{absent(node, needs.first)} +
           int{!needs.reduction && absent(node, needs.second)};
  }
  /// Where to copy a tile from: the hub if it can, else the GPU that holds it.
  int source(Tile tile) const {
    int node = kHub;
    while (node < nodes_ && !valid(node, tile)) ++node;
    return node;
  }
  int nodes() const { return nodes_; }

 private:
  std::size_t index(int node, Tile tile) const {
    return static_cast<std::size_t>(node) * tiles_ + static_cast<std::size_t>(tile);
  }

  int nodes_;
  std::size_t tiles_;
  std::vector<Copy> states_;
};

}  // namespace starport::tiles
