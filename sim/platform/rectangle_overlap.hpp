// Overlap test for sets of rectangles, by a sweep line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace starport {

/// A non-empty rectangle of matrix blocks with half-open ranges of indices: begin <= index < end in
/// both dimensions.
struct RectangleBounds {
  /// Index, from 0, of the first block row of the rectangle.
  std::int64_t row_begin;
  /// Index, from 0, of the block row after the last one; greater than row_begin.
  std::int64_t row_end;
  /// Index, from 0, of the first block column of the rectangle.
  std::int64_t column_begin;
  /// Index, from 0, of the block column after the last one; greater than column_begin.
  std::int64_t column_end;
};

/// Returns the indices (0-based, in no particular order) of two rectangles that have a block in
/// common; nullopt if no two have, as for fewer than two rectangles. `bounds(i)` returns the
/// RectangleBounds of rectangle i, 0 <= i < `count`; it is called several times per rectangle and
/// must give the same each time; its exceptions pass through. Rectangles must not be empty (not
/// checked; the result is then meaningless). Takes O(n log n) time and O(n) memory for n
/// rectangles.
template <class Bounds>
std::optional<std::pair<std::size_t, std::size_t>> find_overlap(std::size_t count,
                                                                const Bounds& bounds) {
  // A line sweeps over the rows; the rectangles that it crosses are ordered by their columns. As
  // long as none overlap, a new one can only overlap its two neighbours.
  struct Event {
    std::int64_t row;
    bool begins;
    std::size_t rectangle;
  };
  std::vector<Event> events;
  events.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    events.push_back({bounds(i).row_begin, true, i});
    events.push_back({bounds(i).row_end, false, i});
  }
  std::sort(events.begin(), events.end(), [](const Event& first, const Event& second) {
    return first.row != second.row ? first.row < second.row : first.begins < second.begins;
  });
  std::map<std::int64_t, std::size_t> crossed;  // first column: rectangle
  for (const auto& [row, begins, i] : events) {
    const RectangleBounds rectangle = bounds(i);
    if (!begins) {
      crossed.erase(rectangle.column_begin);
      continue;
    }
    const auto right = crossed.lower_bound(rectangle.column_begin);
    if (right != crossed.end() && right->first < rectangle.column_end) {
      return std::pair(right->second, i);
    }
    if (right != crossed.begin()) {
      const std::size_t left = std::prev(right)->second;
      if (bounds(left).column_end > rectangle.column_begin) return std::pair(left, i);
    }
    crossed.emplace_hint(right, rectangle.column_begin, i);
  }
  return std::nullopt;
}

}  // namespace starport
