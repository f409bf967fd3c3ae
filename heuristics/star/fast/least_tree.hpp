// A number for each of many workers, of which the least two are wanted after each change, and the
// first that is small enough.
#pragma once

#include "heuristics/star/fast/pairs.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::fast {

/// A tree of eight children a node, which lie in one line of the cache: half a dozen lines are
/// touched where a binary tree (tournament.hpp) touches some fifteen. Nothing branches on numbers.
class LeastTree {
 public:
  explicit LeastTree(std::size_t size) : size_(size) {
    do {
      size = (size + kFan - 1) / kFan;
      levels_.emplace_back(std::max<std::size_t>(size, 1));
    } while (size > 1);
  }

  /// The least, the index of one that has it, and the least of all the others. Infinite: none.
  struct Two {
    double least = kUnknown;
    std::size_t index = 0;
    double next = kUnknown;
  };
  Two two() const {
    Two two{.least = levels_.back().front().least()};
    for (std::size_t level = levels_.size(); level-- > 0;) {
      const Node& node = levels_[level][two.index];
      const auto child = static_cast<std::size_t>(std::countr_zero(node.up_to(two.least)));
      two.next = std::min(two.next, node.least_but(child));
      two.index = kFan * two.index + child;
    }
    return two;
  }

  void set(std::size_t i, double value) {
    for (std::vector<Node>& nodes : levels_) {
      Node& node = nodes[i / kFan];
      if (node[i % kFan] == value) return;
      node.set(i % kFan, value);
      value = node.least();
      i /= kFan;
    }
  }

  /// The smallest index >= `from` whose number is at most `bound`, which is finite; the size when
  /// there is none.
  std::size_t first(std::size_t from, double bound) const {
    std::size_t level = 0;
    for (;; ++level, from = from / kFan + 1) {
      if (level == levels_.size() || from / kFan >= levels_[level].size()) return size_;
      const unsigned found = levels_[level][from / kFan].up_to(bound) >> from % kFan;
      if (found == 0) continue;
      from += static_cast<std::size_t>(std::countr_zero(found));
      break;
    }
    while (level-- > 0) {
      const unsigned found = levels_[level][from].up_to(bound);
      from = kFan * from + static_cast<std::size_t>(std::countr_zero(found));
    }
    return from;
  }

 private:
  static constexpr std::size_t kFan = 8;
  struct alignas(kFan * sizeof(double)) Node {
    double operator[](std::size_t child) const { return pairs[child / 2][child % 2]; }
    void set(std::size_t child, double number) { fast::set(pairs[child / 2], child, number); }

    double least() const {
      return lesser(lesser(lesser(pairs[0], pairs[1]), lesser(pairs[2], pairs[3])));
    }
    double least_but(std::size_t child) const {
      const Pair excluded = static_cast<double>(child) - Pair{};
      const auto kept = [&](std::size_t n) {
        const Pair children{2.0 * static_cast<double>(n), 2.0 * static_cast<double>(n) + 1};
        return children == excluded ? kUnknown - Pair{} : pairs[n];
      };
      return lesser(lesser(lesser(kept(0), kept(1)), lesser(kept(2), kept(3))));
    }
    /// A bit for each child whose number is at most `bound`.
    unsigned up_to(double bound) const {
      const PairBits bits =
          ((pairs[0] <= bound) & PairBits{1, 2}) | ((pairs[1] <= bound) & PairBits{4, 8}) |
          ((pairs[2] <= bound) & PairBits{16, 32}) | ((pairs[3] <= bound) & PairBits{64, 128});
      return static_cast<unsigned>(bits[0] | bits[1]);
    }
    Pair pairs[kFan / 2] = {kUnknown - Pair{}, kUnknown - Pair{}, kUnknown - Pair{},
                            kUnknown - Pair{}};
  };

  std::size_t size_;
  std::vector<std::vector<Node>> levels_;  ///< the numbers, then the least of each eight below
};

}  // namespace starport::fast
