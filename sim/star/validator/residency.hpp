// Which blocks a worker holds, as sets of rectangles. What is asked takes O(log n) for n
// rectangles, and their number for those that are found.
#pragma once

#include "sim/star/schedule.hpp"
#include "sim/star/validator/piece_set.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace starport {

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
    bool any = false;
    parts_.for_each_meeting(blocks, [&](std::size_t) { any = true; });
    return any;
  }

  bool contains(const Rectangle& blocks) const {
    std::int64_t found = 0;
    parts_.for_each_meeting(
        blocks, [&](std::size_t i) { found += intersection(parts_[i].blocks, blocks).size(); });
    return found == blocks.size();
  }

  /// None of them may be there.
  void add(const Rectangle& blocks) {
    // Glued to a neighbour where possible, so that a band loaded piece by piece stays one part.
    const auto [rows, columns] = blocks;
    const Rectangle around{{rows.begin - 1, rows.end}, {columns.begin - 1, columns.end}};
    for (const std::size_t i : parts_.meeting(around)) {
      const Rectangle part = parts_[i].blocks;
      if (part.rows == rows && part.columns.end == columns.begin) {
        return parts_.resize(i, {rows, {part.columns.begin, columns.end}});
      }
      if (part.columns == columns && part.rows.end == rows.begin) {
        return parts_.resize(i, {{part.rows.begin, rows.end}, columns});
      }
    }
    parts_.add({blocks});
  }
  /// All of them must be there.
  void remove(const Rectangle& blocks) {
    const std::vector<std::size_t> gone = parts_.meeting(blocks);
    for (const std::size_t i : gone) {
      for (const Rectangle& rest : difference(parts_[i].blocks, blocks)) parts_.add({rest});
    }
    parts_.remove(gone);
  }

 private:
  struct Part {
    Rectangle blocks;
  };

  PieceSet<Part> parts_;
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
    pieces_.for_each_meeting(blocks, [&](std::size_t i) { found.push_back(&pieces_[i]); });
    return found;
  }

  /// How many of `blocks` are there.
  std::int64_t held(const Rectangle& blocks) const {
    std::int64_t count = 0;
    pieces_.for_each_meeting(
        blocks, [&](std::size_t i) { count += intersection(pieces_[i].blocks, blocks).size(); });
    return count;
  }

  /// Adds the blocks that are not there as fresh pieces; returns how many.
  std::int64_t add_missing(const Rectangle& blocks, bool has_value) {
    std::int64_t count = 0;
    for (const Rectangle& part : missing(blocks)) {
      pieces_.add({.blocks = part, .has_value = has_value, .inner = {}, .last_update = 0});
      count += part.size();
    }
    return count;
  }

  /// Removes all of `blocks`.
  void remove(const Rectangle& blocks) {
    cut(blocks);
    pieces_.remove(pieces_.meeting(blocks));
  }

  const PieceSet<CPiece>& all() const { return pieces_; }

 private:
  void cut(const Rectangle& blocks) {
    for (const std::size_t i : pieces_.meeting(blocks)) {
      const Rectangle whole = pieces_[i].blocks;
      const Rectangle common = intersection(whole, blocks);
      if (common == whole) continue;
      for (const Rectangle& outside : difference(whole, blocks)) {
        CPiece piece = pieces_[i];
        piece.blocks = outside;
        pieces_.add(std::move(piece));
      }
      pieces_.resize(i, common);
    }
  }

  /// Those of `blocks` that are not there.
  std::vector<Rectangle> missing(const Rectangle& blocks) const {
    if (held(blocks) == blocks.size()) return {};
    std::vector<std::size_t> present = pieces_.meeting(blocks);
    std::sort(present.begin(), present.end(), [&](std::size_t x, std::size_t y) {
      return pieces_[x].blocks.rows.begin < pieces_[y].blocks.rows.begin;
    });
    std::vector<Rectangle> found;
    std::vector<Rectangle> open{blocks};
    for (const std::size_t i : present) {
      const Rectangle& piece = pieces_[i].blocks;
      std::vector<Rectangle> left;
      for (const Rectangle& part : open) {
        // What lies above this piece lies above all that come.
        const bool above = part.rows.end <= piece.rows.begin;
        const auto rest = above ? std::vector{part} : difference(part, piece);
        (above ? found : left).insert((above ? found : left).end(), rest.begin(), rest.end());
      }
      open = std::move(left);
    }
    found.insert(found.end(), open.begin(), open.end());
    return found;
  }

  PieceSet<CPiece> pieces_;
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
