// A number for each worker, of which the least is wanted after every change.
#pragma once

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

namespace starport::fast {

/// The index that a scan of numbers >= 0 keeps when only one clearly less (ties.hpp) replaces the
/// best so far, found without the scan. `least` is the least of them; first(from, bound) the
/// smallest index >= `from` whose number is at most `bound`, `size` when there is none. Both may be
/// off by rounding; number(i) is exact.
///
/// Near-equality is not transitive, so this need not be the first index near the least. But the
/// scan takes an index before which all numbers are clearly more, whatever its best was, and leaves
/// one near the least for nothing. Such an index is found by asking once, unless numbers lie
/// between 1/2 and 3 tolerances from the least: then a wider window gives one from which to follow
/// the scan.
template <class First, class Number>
std::size_t scanned_least(double least, std::size_t size, First&& first, Number&& number) {
  std::size_t best = size;
  for (double width = 3;; width *= 2) {
    const double window = least * (1 + width * kRelativeTolerance);
    best = first(0, window);
    if (number(best) <= least * (1 + kRelativeTolerance / 2)) return best;
    if (number(best) <= window * (1 - 1.5 * kRelativeTolerance)) break;
  }
  const auto next = [&](std::size_t from) {
    return first(from, number(best) * (1 - kRelativeTolerance / 2));
  };
  for (std::size_t i = next(best + 1); i < size; i = next(i + 1)) {
    if (clearly_less(number(i), number(best))) best = i;
  }
  return best;
}

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

  /// The least of all but one; of all when i is no index. O(log n).
  double least_but(std::size_t i) const {
    if (i >= size_) return least();
    double least = kNone;
    for (std::size_t node = leaves_ + i; node > 1; node /= 2)
      least = std::min(least, tree_[node ^ 1]);
    return least;
  }

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

  /// The index that scanned_least defines; size() when there are only infinities. O(log n).
  std::size_t first_of_least() const {
    if (least() == kNone) return size_;
    return scanned_least(
        least(), size_,
        [this](std::size_t from, double bound) {
          return first(from, [&](double number) { return number <= bound; });
        },
        [this](std::size_t i) { return (*this)[i]; });
  }

 private:
  std::size_t size_;
  std::size_t leaves_;
  std::vector<double> tree_;  ///< node n has the children 2n and 2n + 1; the root is 1
};

}  // namespace starport::fast
