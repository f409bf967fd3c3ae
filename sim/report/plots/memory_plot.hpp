// The occupancy of each worker's memory over time, computed from a timeline, and its figure.
#pragma once

#include "sim/report/plots/trace_view.hpp"
#include "sim/results/timeline.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// A piece of the curve of a worker's memory use (MemoryStrip): the number of matrix blocks that it
/// holds from `start_s` until the start of the next piece, or the end of the window after the last.
/// It lies between `least_blocks` and `most_blocks`, which differ only where the number changes too
/// fast to be drawn.
struct MemoryPiece {
  /// Start of this piece of the curve, a date in simulated seconds; it ends where the next one
  /// starts, the last one with the window (the range of dates).
  double start_s;
  /// Smallest number of matrix blocks that the worker holds during this piece of the curve.
  std::int64_t least_blocks;
  /// Largest number of matrix blocks that the worker holds during this piece of the curve.
  std::int64_t most_blocks;
};

/// The number of matrix blocks in the memory of one group of lanes (a worker) over time, within a
/// window (a range of dates). Made by memory_strips(); refers to the timeline by index only.
struct MemoryStrip {
  /// Index of the group of lanes (the worker) in Timeline::groups, from 0.
  std::size_t group;
  /// Capacity of the worker's memory in matrix blocks (LaneGroup::memory_blocks).
  std::int64_t m_blocks;
  /// Pieces of the curve in order of dates, each until the next one; the first one starts at the
  /// start of the window (the range of dates), the last one ends with it. Empty if the window is.
  std::vector<MemoryPiece> pieces;
};

/// Returns the number of blocks in memory over time for each group of lanes (worker) whose slices
/// (activities) say how many it holds, in the order of the groups; empty if none do. Before its
/// first such slice a group holds 0 blocks. Consecutive constant pieces shorter than `resolution_s`
/// (simulated seconds, about a pixel) are joined to pieces of about that length, of which the
/// smallest and the largest number are kept. The timeline must be complete (not a piece); in each
/// group the transfers, and the other slices, must be in order of dates. Throws
/// std::bad_optional_access if such a group has no memory capacity.
std::vector<MemoryStrip> memory_strips(const Timeline& timeline, const TimeWindow& window,
                                       double resolution_s);

}  // namespace starport
