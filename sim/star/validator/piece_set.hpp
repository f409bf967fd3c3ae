// Sets of disjoint rectangles with intersection queries: linear search for few, an R-tree for many.
#pragma once

#include "sim/star/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace starport {

/// Returns the range of indices in both ranges; empty (end <= begin) if there are none.
inline Range intersection(const Range& x, const Range& y) {
  return {std::max(x.begin, y.begin), std::min(x.end, y.end)};
}
/// Returns the rectangle of the blocks in both rectangles; Rectangle{} if there are none.
inline Rectangle intersection(const Rectangle& x, const Rectangle& y) {
  const Rectangle common{intersection(x.rows, y.rows), intersection(x.columns, y.columns)};
  return common.empty() ? Rectangle{} : common;
}

/// R-tree of numbered, non-empty rectangles. Takes O(log n) on average for each insertion, removal
/// and result of a query.
class RectangleIndex {
 public:
  /// A rectangle with its number, which should be unique.
  using Entry = std::pair<Rectangle, std::size_t>;

  /// Builds a tree of `entries`.
  explicit RectangleIndex(const std::vector<Entry>& entries);
  RectangleIndex(const RectangleIndex&) = delete;
  RectangleIndex& operator=(const RectangleIndex&) = delete;
  ~RectangleIndex();

  /// Adds an entry, whose rectangle must not be empty (not checked).
  void insert(const Entry& entry);
  /// Removes the entry with this rectangle and number; no effect if there is none.
  void erase(const Entry& entry);
  /// Returns the numbers of the rectangles that have a block in common with `blocks`, in ascending
  /// order; none if `blocks` is empty.
  std::vector<std::size_t> meeting(const Rectangle& blocks) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

/// A set of pieces whose member `blocks`, a Rectangle, are disjoint and not empty (not checked).
/// Pieces are numbered from 0 in the order in which they are added; numbers remain valid until the
/// next call of remove(), references until the next change. Queries search up to 64 pieces one by
/// one, more with an R-tree.
template <class Piece>
class PieceSet {
 public:
  /// Returns whether there are no pieces.
  bool empty() const { return count_ == 0; }
  /// Returns the piece added first; the set must not be empty (not checked: undefined behaviour).
  const Piece& front() const {
    return *std::find_if(pieces_.begin(), pieces_.end(),
                         [](const Piece& piece) { return !piece.blocks.empty(); });
  }
  /// Returns the piece with this number, which must exist (not checked). Do not change its member
  /// `blocks` but by resize().
  Piece& operator[](std::size_t number) { return pieces_[number]; }
  /// Returns the piece with this number, which must exist (not checked).
  const Piece& operator[](std::size_t number) const { return pieces_[number]; }

  /// Calls visit(number) for each piece that has a block in common with `blocks`, by ascending
  /// number. `visit` must not add, resize or remove pieces.
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
  /// Returns the numbers of the pieces that have a block in common with `blocks`, in ascending
  /// order.
  std::vector<std::size_t> meeting(const Rectangle& blocks) const {
    std::vector<std::size_t> numbers;
    for_each_meeting(blocks, [&](std::size_t number) { numbers.push_back(number); });
    return numbers;
  }
  /// Calls visit(piece) for each piece, in the order in which they were added. `visit` must not
  /// change the set.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Piece& piece : pieces_) {
      if (!piece.blocks.empty()) visit(piece);
    }
  }

  /// Adds a piece, whose rectangle must not be empty nor intersect that of another piece (not
  /// checked).
  void add(Piece piece) {
    ++count_;
    pieces_.push_back(std::move(piece));
    if (index_ != nullptr) {
      index_->insert({pieces_.back().blocks, pieces_.size() - 1});
    } else if (pieces_.size() > kFew) {
      build();
    }
  }
  /// Replaces the rectangle of the piece with this number by `blocks`, which must not be empty nor
  /// intersect that of another piece (not checked).
  void resize(std::size_t number, const Rectangle& blocks) {
    if (index_ != nullptr) {
      index_->erase({pieces_[number].blocks, number});
      index_->insert({blocks, number});
    }
    pieces_[number].blocks = blocks;
  }
  /// Removes the pieces with these numbers, each given once; all other numbers become invalid.
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

}  // namespace starport
