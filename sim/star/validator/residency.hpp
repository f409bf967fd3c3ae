// Sets of blocks on a worker, stored as disjoint rectangles: linear search for few, an R-tree for
// many. Queries on n rectangles take O(log n + k) for k results.
#pragma once

#include "sim/platform/rectangle_overlap.hpp"
#include "sim/star/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace starport {

/// Returns the range of the indices that are in both ranges `x` and `y`; if there are none, an
/// empty one (end <= begin), which need not equal Range{}.
inline Range intersection(const Range& x, const Range& y) {
  return {std::max(x.begin, y.begin), std::min(x.end, y.end)};
}
/// Returns the rectangle of the blocks that are in both rectangles `x` and `y`; Rectangle{} if
/// there are none.
inline Rectangle intersection(const Rectangle& x, const Rectangle& y) {
  const Rectangle common{intersection(x.rows, y.rows), intersection(x.columns, y.columns)};
  return common.empty() ? Rectangle{} : common;
}

/// R-tree (spatial search tree) of numbered, non-empty rectangles of blocks, which finds those that
/// have a block in common with a given one. Owns copies of its entries; neither copyable nor
/// movable. With n entries, takes O(log n) on average for each insertion, removal and result of a
/// query.
class RectangleIndex {
 public:
  /// A rectangle of blocks with its number, which queries return; numbers should be unique (not
  /// checked).
  using Entry = std::pair<Rectangle, std::size_t>;

  /// Builds a search tree of copies of `entries` (numbered rectangles of blocks), whose rectangles
  /// must not be empty (not checked).
  explicit RectangleIndex(const std::vector<Entry>& entries);
  RectangleIndex(const RectangleIndex&) = delete;
  RectangleIndex& operator=(const RectangleIndex&) = delete;
  ~RectangleIndex();

  /// Adds to the tree a copy of a numbered rectangle of blocks, which must not be empty (not
  /// checked).
  void insert(const Entry& entry);
  /// Removes from the tree the entry with this rectangle and number; no effect if there is none.
  void erase(const Entry& entry);
  /// Returns the numbers of the rectangles in the tree that have a block in common with `blocks`,
  /// in ascending order; none if `blocks` is empty.
  std::vector<std::size_t> meeting(const Rectangle& blocks) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

/// A set of pieces: values of a class with a member `blocks`, a Rectangle of matrix blocks; these
/// must be disjoint and not empty (not checked). Owns the pieces; starts empty. Each piece has a
/// number, which meeting() returns: numbers ascend in the order of add(), and may have gaps after
/// remove(). They remain valid until the next call of remove(), references until the next change.
/// Queries search up to 64 pieces one by one, more with an R-tree.
template <class Piece>
class PieceSet {
 public:
  /// Returns whether the set has no pieces.
  bool empty() const { return count_ == 0; }
  /// Returns the piece that was added first of those now in the set, which must not be empty (not
  /// checked: undefined behaviour). The reference is valid until the set changes.
  const Piece& front() const {
    return *std::find_if(pieces_.begin(), pieces_.end(),
                         [](const Piece& piece) { return !piece.blocks.empty(); });
  }
  /// Returns the piece with this number, which meeting() or for_each_meeting() has given since the
  /// last call of remove() (not checked: undefined behaviour). Its member `blocks` must be changed
  /// only by resize(). The reference is valid until the set changes.
  Piece& operator[](std::size_t number) { return pieces_[number]; }
  /// Returns the piece with this number, which meeting() or for_each_meeting() has given since the
  /// last call of remove() (not checked: undefined behaviour). The reference is valid until the set
  /// changes.
  const Piece& operator[](std::size_t number) const { return pieces_[number]; }

  /// Calls visit(number) for each piece of the set that has a block in common with `blocks`, by
  /// ascending number (from 0, see operator[]); not at all if `blocks` is empty. `visit` must not
  /// add, resize or remove pieces.
  template <class Visit>
  void for_each_meeting(const Rectangle& blocks, Visit&& visit) const {
    if (index_ != nullptr) {
      for (const std::size_t number : index_->meeting(blocks)) visit(number);
      return;
    }
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!intersection(pieces_[i].blocks, blocks).empty()) visit(i);
    }
  }
  /// Returns the numbers (see operator[]) of the pieces that have a block in common with `blocks`,
  /// in ascending order; none if `blocks` is empty.
  std::vector<std::size_t> meeting(const Rectangle& blocks) const {
    std::vector<std::size_t> numbers;
    for_each_meeting(blocks, [&](std::size_t number) { numbers.push_back(number); });
    return numbers;
  }
  /// Calls visit(piece) for each piece of the set, in the order in which they were added. `visit`
  /// must not change the set.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Piece& piece : pieces_) {
      if (!piece.blocks.empty()) visit(piece);
    }
  }

  /// Adds a piece to the set, with a number above all others. Its rectangle `blocks` must not be
  /// empty nor intersect that of another piece (not checked). Invalidates references to pieces, but
  /// not their numbers.
  void add(Piece piece) {
    ++count_;
    pieces_.push_back(std::move(piece));
    if (index_ != nullptr) {
      index_->insert({pieces_.back().blocks, pieces_.size() - 1});
    } else if (pieces_.size() > kFew) {
      build();
    }
  }
  /// Replaces the rectangle of blocks of the piece with this number (see operator[]), which must
  /// exist, by `blocks`, which must not be empty nor intersect that of another piece (not checked).
  /// The piece keeps its number.
  void resize(std::size_t number, const Rectangle& blocks) {
    if (index_ != nullptr) {
      index_->erase({pieces_[number].blocks, number});
      index_->insert({blocks, number});
    }
    pieces_[number].blocks = blocks;
  }
  /// Removes from the set the pieces with these numbers, which must exist, each given once (not
  /// checked). The numbers of all other pieces and references to them become invalid; their order
  /// stays.
  void remove(const std::vector<std::size_t>& numbers) {
    for (const std::size_t number : numbers) {
      if (index_ != nullptr) index_->erase({pieces_[number].blocks, number});
      pieces_[number].blocks = {};
    }
    count_ -= numbers.size();
    if (index_ != nullptr && 2 * count_ > pieces_.size()) return;
    std::erase_if(pieces_, [](const Piece& piece) { return piece.blocks.empty(); });
    index_.reset();
    if (pieces_.size() > kFew) build();
  }

 private:
  static constexpr std::size_t kFew = 64;

  void build() {
    std::vector<RectangleIndex::Entry> entries;
    for (const Piece& piece : pieces_) entries.emplace_back(piece.blocks, entries.size());
    index_ = std::make_unique<RectangleIndex>(entries);
  }

  std::vector<Piece> pieces_;  ///< by number; removed ones stay as empty rectangles for a while
  std::size_t count_ = 0;      ///< number of non-empty pieces
  std::unique_ptr<RectangleIndex> index_;
};

/// Returns the blocks of `whole` that are not in `hole` as disjoint rectangles: at most four; none
/// if `hole` covers `whole`; `whole` itself, even if empty, if they do not intersect.
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

/// The set of blocks of A or of B in a worker's memory at some moment of a run, stored as disjoint
/// rectangles of block indices. Starts empty; BlockRules keeps one per worker and matrix.
/// Operations on n rectangles take O(log n + k) on average if k of them have a block in common with
/// the argument.
class BlockSet {
 public:
  /// Returns true if at least one block of the rectangle `blocks` is in the set; false for an empty
  /// rectangle.
  bool overlaps(const Rectangle& blocks) const {
    bool any = false;
    parts_.for_each_meeting(blocks, [&](std::size_t) { any = true; });
    return any;
  }

  /// Returns true if all blocks of the rectangle `blocks` are in the set, and for an empty
  /// rectangle.
  bool contains(const Rectangle& blocks) const {
    std::int64_t found = 0;
    parts_.for_each_meeting(
        blocks, [&](std::size_t i) { found += intersection(parts_[i].blocks, blocks).size(); });
    return found == blocks.size();
  }

  /// Adds the blocks of the rectangle `blocks` to the set. It must not be empty, and none of its
  /// blocks may be in the set already. Neither is checked: blocks added twice count twice, so that
  /// contains() is wrong, and an empty rectangle breaks the invariants of the set.
  void add(const Rectangle& blocks) {
    // Merged with an adjacent part if possible, so that a band sent piece by piece stays one part.
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
  /// Removes from the set the rectangle `blocks`, all of whose blocks should be in the set (not
  /// checked: those that are not are ignored).
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

/// A rectangle of blocks of C on a worker, or of partial sums of them on the master, that have all
/// had the same transfers and updates so far, with that history. Element of CPieces, which makes
/// it.
struct CPiece {
  /// The rectangle of blocks of C whose history this object has.
  Rectangle blocks;
  /// True if the blocks include the values of C that the master has sent; false if they have only
  /// been accumulated from zero on the worker.
  bool has_value = false;
  /// Values of k, from 0, for which the updates C_ij += A_ik B_kj of these blocks have been done:
  /// disjoint half-open ranges, ascending, not adjacent; empty if none.
  std::vector<Range> inner;
  /// Number, from 1, of the last of the worker's updates that changed the blocks; 0: none, and for
  /// partial sums on the master.
  std::int64_t last_update = 0;

  /// Returns true if the update C_ij += A_ik B_kj of the blocks has been done for at least one
  /// value of k in the range; false for an empty range.
  bool has_any_update(const Range& k) const {
    return std::any_of(inner.begin(), inner.end(),
                       [&](const Range& done) { return !intersection(done, k).empty(); });
  }

  /// Records that the updates C_ij += A_ik B_kj of the blocks have been done for all values of k in
  /// the range. The range must not be empty, and none of them may have been done before (see
  /// has_any_update()), which is not checked.
  void add_updates(const Range& k) {
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

  /// Returns true if the updates C_ij += A_ik B_kj of the blocks have been done for all values of k
  /// from 0 to t - 1 and no others. `t` is at least 1.
  bool is_complete(std::int64_t t) const {
    return inner.size() == 1 && inner.front().begin == 0 && inner.front().end == t;
  }
};

/// The set of blocks of C in a worker's memory at some moment of a run, with the updates they have
/// had, stored as disjoint rectangles (CPiece). Starts empty; BlockRules keeps one per worker, and
/// one of the partial sums that workers have returned to the master.
class CPieces {
 public:
  /// Cuts the pieces (rectangles of blocks with one history) of the set along the border of
  /// `blocks`, and returns pointers, never null, to those inside it, in no specified order; none if
  /// no block of it is in the set. Pointers are valid until the next change of the set, including
  /// the next call of this function. The caller may change the history of pieces, not their blocks.
  std::vector<CPiece*> cut_inside(const Rectangle& blocks) {
    cut(blocks);
    std::vector<CPiece*> found;
    pieces_.for_each_meeting(blocks, [&](std::size_t i) { found.push_back(&pieces_[i]); });
    return found;
  }

  /// Returns how many blocks of the rectangle `blocks`, which may be empty, are in the set.
  std::int64_t count_held(const Rectangle& blocks) const {
    std::int64_t count = 0;
    pieces_.for_each_meeting(
        blocks, [&](std::size_t i) { count += intersection(pieces_[i].blocks, blocks).size(); });
    return count;
  }

  /// Adds to the set those blocks of the rectangle `blocks` that are not in it, without updates;
  /// `has_value` says whether they come with the master's values of C. Returns the number of blocks
  /// added. The others do not change.
  std::int64_t add_missing(const Rectangle& blocks, bool has_value) {
    std::int64_t count = 0;
    for (const Rectangle& part : missing(blocks)) {
      pieces_.add({.blocks = part, .has_value = has_value, .inner = {}, .last_update = 0});
      count += part.size();
    }
    return count;
  }

  /// Removes those blocks of the rectangle `blocks` that are in the set.
  void remove(const Rectangle& blocks) {
    cut(blocks);
    pieces_.remove(pieces_.meeting(blocks));
  }

  /// Returns all pieces (rectangles of blocks of C with their history) in the set, in no specified
  /// order. The reference is valid as long as this object.
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

  /// Returns those of `blocks` that are not in the set.
  std::vector<Rectangle> missing(const Rectangle& blocks) const {
    if (count_held(blocks) == blocks.size()) return {};
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
        // Pieces are sorted by row: a part above this one is above all later ones.
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

/// Returns true if two of the first `count` rectangles of blocks, none of which may be empty (not
/// checked: meaningless result), have a block in common. `count` must not exceed their number (not
/// checked: undefined behaviour). O(n log n) for n = `count`.
inline bool has_overlap(const std::vector<Rectangle>& rectangles, std::size_t count) {
  return find_overlap(count,
                      [&](std::size_t i) {
                        const auto& [rows, columns] = rectangles[i];
                        return RectangleBounds{rows.begin, rows.end, columns.begin, columns.end};
                      })
      .has_value();
}

}  // namespace starport
