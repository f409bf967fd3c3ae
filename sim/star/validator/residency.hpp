// Which blocks a worker holds, as sets of rectangles.
#pragma once

#include "sim/star/schedule.hpp"

#include <cstdint>
#include <vector>

namespace starport {

Rectangle intersection(const Rectangle& x, const Rectangle& y);
/// The parts of `whole` outside `hole`: at most four rectangles.
std::vector<Rectangle> difference(const Rectangle& whole, const Rectangle& hole);

/// A set of blocks of A or of B, kept as disjoint rectangles.
class BlockSet {
 public:
  bool overlaps(const Rectangle& blocks) const;
  bool contains(const Rectangle& blocks) const;
  void add(const Rectangle& blocks);     ///< none of them may be there
  void remove(const Rectangle& blocks);  ///< all of them must be there

 private:
  std::vector<Rectangle> parts_;
};

/// Blocks of C on a worker that have had the same life so far.
struct CPiece {
  Rectangle blocks;
  bool has_value = false;        ///< the master's C_ij has arrived, else an accumulator from zero
  std::vector<Range> inner;      ///< values of k done: disjoint, sorted, not adjacent
  std::int64_t last_update = 0;  ///< the worker's last update that changed them

  bool did_any(const Range& k) const;
  void did(const Range& k);
  bool complete(std::int64_t t) const {
    return inner.size() == 1 && inner.front().begin == 0 && inner.front().end == t;
  }
};

/// The C blocks on a worker.
class CPieces {
 public:
  /// The pieces inside `blocks`, cut along its border where needed.
  std::vector<CPiece*> inside(const Rectangle& blocks);
  /// How many of `blocks` are there.
  std::int64_t held(const Rectangle& blocks) const;
  /// Adds the blocks that are not there as fresh pieces; returns how many.
  std::int64_t add_missing(const Rectangle& blocks, bool has_value);
  /// Removes all of `blocks`.
  void remove(const Rectangle& blocks);
  const std::vector<CPiece>& all() const { return pieces_; }

 private:
  void cut(const Rectangle& blocks);

  std::vector<CPiece> pieces_;
};

/// Whether the first `count` rectangles have a block in common. O(n log n).
bool any_overlap(const std::vector<Rectangle>& rectangles, std::size_t count);

}  // namespace starport
