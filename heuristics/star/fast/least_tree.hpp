// A number for each of many workers, of which the least two are wanted after each change, and the
// first that is small enough.
#pragma once

#include "sim/platform/platform.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
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
      if (node.numbers[i % kFan] == value) return;
      node.numbers[i % kFan] = value;
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
    Node() { numbers.fill(kUnknown); }

    double least() const {
      const auto& n = numbers;
      return lesser(lesser(lesser(n[0], n[1]), lesser(n[2], n[3])),
                    lesser(lesser(n[4], n[5]), lesser(n[6], n[7])));
    }
    double least_but(std::size_t child) const {
      Node others = *this;
      others.numbers[child] = kUnknown;
      return others.least();
    }
    /// A bit for each child whose number is at most `bound`.
    unsigned up_to(double bound) const {
      unsigned bits = 0;
      for (std::size_t child = 0; child < kFan; ++child) {
        bits |= unsigned{numbers[child] <= bound} << child;
      }
      return bits;
    }
    static double lesser(double x, double y) { return x < y ? x : y; }

    std::array<double, kFan> numbers;
  };

  std::size_t size_;
  std::vector<std::vector<Node>> levels_;  ///< the numbers, then the least of each eight below
};

}  // namespace starport::fast
