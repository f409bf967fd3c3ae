// Which blocks a worker holds, as sets of rectangles.
#pragma once

#include "sim/star/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace starport {

inline Range intersection(const Range& x, const Range& y) {
  return {std::max(x.begin, y.begin), std::min(x.end, y.end)};
}

inline Rectangle intersection(const Rectangle& x, const Rectangle& y) {
  const Rectangle common{intersection(x.rows, y.rows), intersection(x.columns, y.columns)};
  return common.empty() ? Rectangle{} : common;
}

inline bool contains(const Rectangle& outer, const Rectangle& inner) {
  return intersection(outer, inner) == inner;
}

/// The parts of `whole` outside `hole`: at most four rectangles.
inline std::vector<Rectangle> difference(const Rectangle& whole, const Rectangle& hole) {
  const Rectangle cut = intersection(whole, hole);
  if (cut.empty()) return {whole};
  std::vector<Rectangle> parts;
  const auto keep = [&](const Rectangle& part) {
    if (!part.empty()) parts.push_back(part);
  };
  keep({{whole.rows.begin, cut.rows.begin}, whole.columns});
  keep({{cut.rows.end, whole.rows.end}, whole.columns});
  keep({cut.rows, {whole.columns.begin, cut.columns.begin}});
  keep({cut.rows, {cut.columns.end, whole.columns.end}});
  return parts;
}

/// A set of blocks of A or of B, kept as disjoint rectangles.
class BlockSet {
 public:
  bool overlaps(const Rectangle& blocks) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const Rectangle& part) { return !intersection(part, blocks).empty(); });
  }

  bool contains(const Rectangle& blocks) const {
    std::int64_t found = 0;
    for (const Rectangle& part : parts_) found += intersection(part, blocks).size();
    return found == blocks.size();
  }

  /// None of them may be there.
  void add(const Rectangle& blocks) {
    // Glued to a neighbour where possible, so that a band loaded piece by piece stays one part.
    for (Rectangle& part : parts_) {
      if (part.rows == blocks.rows && part.columns.end == blocks.columns.begin) {
        part.columns.end = blocks.columns.end;
        return;
      }
      if (part.columns == blocks.columns && part.rows.end == blocks.rows.begin) {
        part.rows.end = blocks.rows.end;
        return;
      }
    }
    parts_.push_back(blocks);
  }
  /// All of them must be there.
  void remove(const Rectangle& blocks) {
    std::vector<Rectangle> left;
    for (const Rectangle& part : parts_) {
      const auto rest = difference(part, blocks);
      left.insert(left.end(), rest.begin(), rest.end());
    }
    parts_ = std::move(left);
  }

 private:
  std::vector<Rectangle> parts_;
};

/// Blocks of C on a worker that have had the same life so far.
struct CPiece {
  Rectangle blocks;
  bool has_value = false;        ///< the master's C_ij has arrived, else an accumulator from zero
  std::vector<Range> inner;      ///< values of k done: disjoint, sorted, not adjacent
  std::int64_t last_update = 0;  ///< the worker's last update that changed them

  bool did_any(const Range& k) const {
    return std::any_of(inner.begin(), inner.end(),
                       [&](const Range& done) { return !intersection(done, k).empty(); });
  }

  void did(const Range& k) {
    auto at = std::lower_bound(inner.begin(), inner.end(), k,
                               [](const Range& x, const Range& y) { return x.begin < y.begin; });
    at = inner.insert(at, k);
    if (at + 1 != inner.end() && at->end == (at + 1)->begin) {
      at->end = (at + 1)->end;
      inner.erase(at + 1);
    }
    if (at != inner.begin() && (at - 1)->end == at->begin) {
      (at - 1)->end = at->end;
      inner.erase(at);
    }
  }

  bool complete(std::int64_t t) const {
    return inner.size() == 1 && inner.front().begin == 0 && inner.front().end == t;
  }
};

/// The C blocks on a worker.
class CPieces {
 public:
  /// The pieces inside `blocks`, cut along its border where needed.
  std::vector<CPiece*> inside(const Rectangle& blocks) {
    cut(blocks);
    std::vector<CPiece*> found;
    for (CPiece& piece : pieces_) {
      if (contains(blocks, piece.blocks)) found.push_back(&piece);
    }
    return found;
  }

  /// How many of `blocks` are there.
  std::int64_t held(const Rectangle& blocks) const {
    std::int64_t count = 0;
    for (const CPiece& piece : pieces_) count += intersection(piece.blocks, blocks).size();
    return count;
  }

  /// Adds the blocks that are not there as fresh pieces; returns how many.
  std::int64_t add_missing(const Rectangle& blocks, bool has_value) {
    std::vector<Rectangle> missing{blocks};
    for (const CPiece& piece : pieces_) {
      if (intersection(piece.blocks, blocks).empty()) continue;
      std::vector<Rectangle> left;
      for (const Rectangle& part : missing) {
        const auto rest = difference(part, piece.blocks);
        left.insert(left.end(), rest.begin(), rest.end());
      }
      missing = std::move(left);
    }
    std::int64_t count = 0;
    for (const Rectangle& part : missing) {
      pieces_.push_back({.blocks = part, .has_value = has_value, .inner = {}, .last_update = 0});
      count += part.size();
    }
    return count;
  }

  /// Removes all of `blocks`.
  void remove(const Rectangle& blocks) {
    cut(blocks);
    std::erase_if(pieces_, [&](const CPiece& piece) { return contains(blocks, piece.blocks); });
  }

  const std::vector<CPiece>& all() const { return pieces_; }

 private:
  void cut(const Rectangle& blocks) {
    std::vector<CPiece> fresh;
    for (CPiece& piece : pieces_) {
      const Rectangle common = intersection(piece.blocks, blocks);
      if (common.empty() || common == piece.blocks) continue;
      for (const Rectangle& outside : difference(piece.blocks, blocks)) {
        fresh.push_back(piece);
        fresh.back().blocks = outside;
      }
      piece.blocks = common;
    }
    pieces_.insert(pieces_.end(), fresh.begin(), fresh.end());
  }

  std::vector<CPiece> pieces_;
};

/// Whether the first `count` rectangles have a block in common. O(n log n).
inline bool any_overlap(const std::vector<Rectangle>& rectangles, std::size_t count) {
  // A line sweeps over the rows; the rectangles it crosses are ordered by their columns. As long
  // as none overlap, a new one can only meet its two neighbours.
  struct Edge {
    std::int32_t row;
    bool opens;
    const Rectangle* rectangle;
  };
  std::vector<Edge> edges;
  edges.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    edges.push_back({rectangles[i].rows.begin, true, &rectangles[i]});
    edges.push_back({rectangles[i].rows.end, false, &rectangles[i]});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
    return std::tuple(x.row, x.opens) < std::tuple(y.row, y.opens);
  });
  std::map<std::int32_t, std::int32_t> crossed;  // columns: begin -> end
  for (const auto& [row, opens, rectangle] : edges) {
    const Range& columns = rectangle->columns;
    if (!opens) {
      crossed.erase(columns.begin);
      continue;
    }
    const auto after = crossed.lower_bound(columns.begin);
    if (after != crossed.end() && after->first < columns.end) return true;
    if (after != crossed.begin() && std::prev(after)->second > columns.begin) return true;
    crossed.emplace_hint(after, columns.begin, columns.end);
  }
  return false;
}

}  // namespace starport
