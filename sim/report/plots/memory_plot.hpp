// The occupancy of each worker's memory over time, computed from a timeline, and its figure.
#pragma once

#include "sim/report/plots/trace_view.hpp"
#include "sim/results/timeline.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// A piece of a MemoryStrip: the number of blocks that a worker holds from `start_s` until the
/// start of the next piece. It lies between `least_blocks` and `most_blocks`, which differ only
/// where the number changes too fast to be drawn.
struct MemoryPiece {
  /// Start of the piece, a date in simulated seconds.
  double start_s;
  /// Smallest number of blocks held during the piece.
  std::int64_t least_blocks;
  /// Largest number of blocks held during the piece.
  std::int64_t most_blocks;
};

/// The number of blocks in the memory of one group of lanes (a worker) over time, within a window.
/// Made by memory_strips(); refers to the timeline by index only.
struct MemoryStrip {
  /// Index of the group in Timeline::groups, from 0.
  std::size_t group;
  /// Capacity of the memory in blocks.
  std::int64_t m_blocks;
  /// Largest number of blocks held at once within the window.
  std::int64_t most_blocks;
  /// Pieces in order of dates, each until the next one; the first one starts at the start of the
  /// window, the last one ends with it. Empty if the window is.
  std::vector<MemoryPiece> pieces;
};

/// Returns the memory strips of the groups whose slices say how many blocks are held, in the order
/// of the groups; empty if none do. Before its first such slice a group holds 0 blocks. Consecutive
/// steps shorter than `resolution_s` (simulated seconds, about a pixel) are joined to pieces of
/// about that length, of which the smallest and the largest number are kept. The timeline must be
/// complete (not a piece); in each group the transfers, and the other slices, must be in order of
/// dates. Throws std::bad_optional_access if such a group has no memory capacity.
std::vector<MemoryStrip> memory_strips(const Timeline& timeline, const TimeWindow& window,
                                       double resolution_s);

}  // namespace starport
