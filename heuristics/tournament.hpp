// A number for each worker, of which the least is wanted after every change.
#pragma once

#include "sim/model/ties.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

namespace starport {

/// A complete binary tree: each leaf holds the number of one index, >= 0, or infinity for none;
/// each inner node the least of its two children.
class Tournament {
 public:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  explicit Tournament(std::size_t size)
      : size_(size), leaves_(std::bit_ceil(std::max<std::size_t>(size, 1))) {
    tree_.assign(2 * leaves_, kNone);
  }

  std::size_t size() const { return size_; }
  double operator[](std::size_t i) const { return tree_[leaves_ + i]; }
  double least() const { return tree_[1]; }

  /// O(log n).
  void set(std::size_t i, double value) {
    std::size_t node = leaves_ + i;
    tree_[node] = value;
    while (node > 1) {
      node /= 2;
      const double winner = std::min(tree_[2 * node], tree_[2 * node + 1]);
      if (tree_[node] == winner) return;
      tree_[node] = winner;
    }
  }

  /// The smallest index >= `from` whose number is wanted; size() when there is none. `wanted` must
  /// hold for every number below one for which it holds, and not for infinity. O(log n).
  template <class Wanted>
  std::size_t first(std::size_t from, Wanted&& wanted) const {
    if (from >= size_) return size_;
    std::size_t node = leaves_ + from;
    while (!wanted(tree_[node])) {
      while (node % 2 == 1) node /= 2;  // a right child: what follows is further up
      if (node == 0) return size_;
      ++node;
    }
    while (node < leaves_) node = wanted(tree_[2 * node]) ? 2 * node : 2 * node + 1;
    return node - leaves_;
  }

  /// The index that a scan from 0 keeps when only a number clearly less (ties.hpp) replaces the
  /// best so far; size() when there are only infinities. O(log n), unless numbers lie at 1 to 3
  /// tolerances from the least.
  std::size_t first_of_least() const;

 private:
  std::size_t size_;
  std::size_t leaves_;
  std::vector<double> tree_;  ///< node n has the children 2n and 2n + 1; the root is 1
};

}  // namespace starport
