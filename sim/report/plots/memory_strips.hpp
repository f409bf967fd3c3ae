// Converts a timeline to the occupancy of each group's memory over time.
#pragma once

#include "sim/report/plots/time_window.hpp"
#include "sim/results/timeline.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// The number of blocks that a group holds from `start_s` until the next piece. It lies between
/// `least_blocks` and `most_blocks`, which differ only where it changes too fast to be drawn.
struct MemoryPiece {
  double start_s;
  std::int64_t least_blocks;
  std::int64_t most_blocks;
};

/// The occupancy of the memory of one group over time.
struct MemoryStrip {
  std::size_t group;                ///< index in the timeline
  std::int64_t m_blocks;            ///< size of the memory
  std::int64_t most_blocks;         ///< largest number held at once within the window
  std::vector<MemoryPiece> pieces;  ///< the first one starts at the start of the window
};

/// Returns the strips of the groups whose slices say what they hold, in the order of the groups.
/// Consecutive steps shorter than `resolution_s`, about a pixel, are joined to pieces of at least
/// that length; their maximum is kept.
std::vector<MemoryStrip> memory_strips(const Timeline& timeline, const TimeWindow& window,
                                       double resolution_s);

}  // namespace starport
