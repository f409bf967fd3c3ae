// A number for each worker, of which the least is wanted after every change.
#pragma once

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
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
  const double near = least * (1 + kRelativeTolerance / 2);  // none is clearly less than that
  std::size_t best = size;
  double its_number = 0;
  for (double width = 3;; width *= 2) {
    const double window = least * (1 + width * kRelativeTolerance);
    best = first(0, window);
    if (best == size) continue;  // by rounding: `least` is more than 0
    its_number = number(best);
    if (its_number <= std::max(near, window * (1 - 1.5 * kRelativeTolerance))) break;
  }
  for (std::size_t i = best; its_number > near;) {
    i = first(i + 1, its_number * (1 - kRelativeTolerance / 2));
    if (i == size) break;
    const double next_number = number(i);
    if (!clearly_less(next_number, its_number)) continue;
    best = i;
    its_number = next_number;
  }
  return best;
}

/// A complete binary tree: each leaf holds the number of one index, >= 0, or infinity for none;
/// each inner node the least of its two children, and whose it is.
class Tournament {
 public:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  explicit Tournament(std::size_t size)
      : size_(size), leaves_(std::bit_ceil(std::max<std::size_t>(size, 1))) {
    tree_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) tree_[leaves_ + i] = leaf(i, kNone);
    for (std::size_t node = leaves_; --node > 0;) {
      tree_[node] = winner(tree_[2 * node], tree_[2 * node + 1]);
    }
  }

  std::size_t size() const { return size_; }
  double operator[](std::size_t i) const { return number(leaves_ + i); }
  double least() const { return number(1); }

  /// O(log n), less where the change is not felt far up.
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
  /// The same without a branch that depends on the numbers: for changes that are mostly felt.
  void set_to_the_root(std::size_t i, double value) {
    Node* const tree = tree_.data();
    std::size_t node = leaves_ + i;
    auto [bits, whose] = leaf(i, value);  // in the processor
    tree[node] = {bits, whose};
    while (node > 1) {
      const Node best = winner({bits, whose}, tree[node ^ 1]);
      bits = best.bits;
      whose = best.whose;
      node /= 2;
      tree[node].bits = bits;
      tree[node].whose = whose;
    }
  }

  /// The smallest index >= `from` whose number is wanted; size() when there is none. `wanted` must
  /// hold for every number below one for which it holds, and not for infinity. O(log n).
  template <class Wanted>
  std::size_t first(std::size_t from, Wanted&& wanted) const {
    if (from >= size_) return size_;
    std::size_t node = leaves_ + from;
    while (!wanted(number(node))) {
      while (node % 2 == 1) node /= 2;  // a right child: what follows is further up
      if (node == 0) return size_;
      ++node;
    }
    while (node < leaves_) node = wanted(number(2 * node)) ? 2 * node : 2 * node + 1;
    return node - leaves_;
  }

  /// The index that scanned_least defines; size() when there are only infinities. O(1) where no
  /// other number is near the least, else O(log n).
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
  /// Numbers >= 0 are in the order of their bits, taken as an integer. Whose the least is, is as
  /// good as random: it is chosen by arithmetic, without a branch.
  struct Node {
    std::int64_t bits;
    /// The index, and kNear where another number below may be within three tolerances of the least.
    std::int64_t whose;

    bool near() const { return whose >= kNear; }
    std::size_t index() const { return static_cast<std::size_t>(whose & (kNear - 1)); }
    bool operator==(const Node&) const = default;
  };
  static constexpr std::int64_t kNear = std::int64_t{1} << 32;

  static Node leaf(std::size_t i, double value) {
    return {.bits = std::bit_cast<std::int64_t>(value), .whose = static_cast<std::int64_t>(i)};
  }
  static Node winner(const Node& one, const Node& other) {
    // A relative distance of 2^-26 to 2^-27.
    constexpr std::uint64_t wide = std::uint64_t{1} << 26;
    static_assert(0x1p-27 > 4 * kRelativeTolerance);
    const std::int64_t ahead = other.bits - one.bits;
    const std::int64_t if_other = ahead >> 63;  // all ones where the other is less, else 0
    const std::int64_t near = static_cast<std::uint64_t>(ahead) + wide <= 2 * wide ? kNear : 0;
    return {.bits = one.bits + (ahead & if_other),
            .whose = (one.whose ^ ((one.whose ^ other.whose) & if_other)) | near};
  }
  double number(std::size_t node) const { return std::bit_cast<double>(tree_[node].bits); }

  std::size_t size_;
  std::size_t leaves_;
  std::vector<Node> tree_;  ///< node n has the children 2n and 2n + 1; the root is 1
};

}  // namespace starport::fast
