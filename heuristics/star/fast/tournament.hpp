// A tournament tree: the least of many numbers after each change of one of them.
#pragma once

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace starport::fast {

/// Returns the index of the least of `size` > 0 numbers >= 0 (infinity: none), with near ties
/// resolved exactly as by a scan from index 0 that replaces the best so far only by a clearly
/// lesser number (by more than a relative 1e-9). `least` is the least number, finite; first(from,
/// bound), called with `from` <= `size`, returns the smallest index >= `from` whose number is at
/// most `bound`, or `size` if there is none; number(i) returns the i-th number. `least` and first()
/// may be off by rounding, number(i) must be exact. Nothing is checked; does not end if first()
/// never finds a number.
template <class First, class Number>
std::size_t scanned_least(double least, std::size_t size, First&& first, Number&& number) {
  // Near-equality is not transitive, so the result need not be the first index near the least. But
  // the scan always moves to an index before which all numbers are clearly greater, and never
  // leaves a number near the least. One query finds such an index, unless some numbers lie between
  // 1/2 and 3 tolerances above the least: then a wider window gives an index from which to follow
  // the scan.
  const double near =
      least * (1 + kRelativeTolerance / 2);  // no number is clearly less than this one
  std::size_t best = size;
  double best_number = 0;
  for (double width = 3;; width *= 2) {
    const double window = least * (1 + width * kRelativeTolerance);
    best = first(0, window);
    if (best == size) continue;  // by rounding; `least` is > 0
    best_number = number(best);
    if (best_number <= std::max(near, window * (1 - 1.5 * kRelativeTolerance))) break;
  }
  for (std::size_t i = best; best_number > near;) {
    i = first(i + 1, best_number * (1 - kRelativeTolerance / 2));
    if (i == size) break;
    const double next_number = number(i);
    if (!clearly_less(next_number, best_number)) continue;
    best = i;
    best_number = next_number;
  }
  return best;
}

/// Tournament tree: stores one number >= 0 (infinity: none) for each index from 0 to size() - 1 and
/// returns the least of them in O(1); a change takes O(log size). Indices are not checked
/// (undefined behaviour from size() on); negative numbers, -0 included, and NaN are not supported.
class Tournament {
 public:
  /// Infinity: stands for an index that has no number. All indices start with it.
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  /// Creates a tree for the indices 0 to size - 1, all with the number infinity. `size` must be
  /// below 2^32 (not checked) and may be 0.
  explicit Tournament(std::size_t size)
      : size_(size), leaves_(std::bit_ceil(std::max<std::size_t>(size, 1))) {
    tree_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) tree_[leaves_ + i] = leaf(i, kNone);
    for (std::size_t node = leaves_; --node > 0;) {
      tree_[node] = tree_[2 * node];  // of equal numbers the first
    }
  }

  /// Returns how many indices the tree has, as given to the constructor, with or without a number.
  std::size_t size() const { return size_; }
  /// Returns the number stored for index `i`; infinity if it has none. Requires i < size();
  /// otherwise the behaviour is undefined.
  double operator[](std::size_t i) const { return number(leaves_ + i); }
  /// Returns the least of all numbers in the tree; infinity if no index has one. O(1).
  double least() const { return number(1); }

  /// Stores the number `value` for index `i`; infinity removes it. `value` must be positive or +0
  /// (not checked: least() is wrong after a negative number, -0 or NaN). O(log size), less if the
  /// change does not reach the root. Requires i < size(); otherwise the behaviour is undefined.
  void set(std::size_t i, double value) {
    std::size_t node = leaves_ + i;
    Node best = leaf(i, value);
    tree_[node] = best;
    while (node > 1) {
      best = winner(best, tree_[node ^ 1]);
      node /= 2;
      if (tree_[node] == best) return;
      tree_[node] = best;
    }
  }

  /// Returns the smallest index >= `from` for whose number `is_wanted` holds; size() if there is
  /// none. If `is_wanted` holds for a number it must hold for all lesser ones, and it must not hold
  /// for infinity; otherwise the result is meaningless. O(log size).
  template <class IsWanted>
  std::size_t first(std::size_t from, IsWanted&& is_wanted) const {
    if (from >= size_) return size_;
    std::size_t node = leaves_ + from;
    while (!is_wanted(number(node))) {
      while (node % 2 == 1) node /= 2;  // a right child: the next subtree is further up
      if (node == 0) return size_;
      ++node;
    }
    while (node < leaves_) node = is_wanted(number(2 * node)) ? 2 * node : 2 * node + 1;
    return node - leaves_;
  }

  /// Returns the index of the least number in the tree, with near ties resolved as by a scan from
  /// index 0 that replaces the best so far only by a number less by more than a relative 1e-9;
  /// size() if all are infinity. O(1) if no other number is near the least, else O(log size).
  std::size_t first_of_least() const {
    if (least() == kNone) return size_;
    if (!tree_[1].near()) return tree_[1].index();
    return scanned_least(
        least(), size_,
        [this](std::size_t from, double bound) {
          return first(from, [&](double number) { return number <= bound; });
        },
        [this](std::size_t i) { return (*this)[i]; });
  }

 private:
  /// Numbers >= 0 have the same order as their bits as an integer. Which of two children is less is
  /// unpredictable, so it is selected by arithmetic instead of a branch.
  struct Node {
    std::int64_t bits;
    /// The index of the number, plus kNear if another number of the subtree may be within three
    /// tolerances of it.
    std::int64_t owner;

    bool near() const { return owner >= kNear; }
    std::size_t index() const { return static_cast<std::size_t>(owner & (kNear - 1)); }
    bool operator==(const Node&) const = default;
  };
  static constexpr std::int64_t kNear = std::int64_t{1} << 32;

  static Node leaf(std::size_t i, double value) {
    return {.bits = std::bit_cast<std::int64_t>(value), .owner = static_cast<std::int64_t>(i)};
  }
  static Node winner(const Node& x, const Node& y) {
    // Numbers whose bits differ by 2^26 are at a relative distance of 2^-26 to 2^-27.
    constexpr std::uint64_t wide = std::uint64_t{1} << 26;
    static_assert(0x1p-27 > 4 * kRelativeTolerance);
    const std::int64_t difference = y.bits - x.bits;
    const std::int64_t is_y_less = difference >> 63;  // a mask: all ones or 0
    const std::int64_t near = static_cast<std::uint64_t>(difference) + wide <= 2 * wide ? kNear : 0;
    return {.bits = x.bits + (difference & is_y_less),
            .owner = (x.owner ^ ((x.owner ^ y.owner) & is_y_less)) | near};
  }
  double number(std::size_t node) const { return std::bit_cast<double>(tree_[node].bits); }

  std::size_t size_;
  std::size_t leaves_;
  /// Node n has children 2n and 2n + 1; the root is 1. A leaf holds a number, an inner node the
  /// least of its children, both with its index.
  std::vector<Node> tree_;
};

}  // namespace starport::fast
