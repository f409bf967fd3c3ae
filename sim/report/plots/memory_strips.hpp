// A timeline as the occupancy of each group's memory over time.
#pragma once

#include "sim/report/plots/time_window.hpp"
#include "sim/results/timeline.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// What a group holds from some date until the next piece: between `least` and `most`, which only
/// differ where it changes too fast to be drawn.
struct MemoryPiece {
  double start_s;
  std::int64_t least_blocks;
  std::int64_t most_blocks;
};

struct MemoryStrip {
  std::size_t group;
  std::int64_t m_blocks;
  std::int64_t most_blocks;         ///< held at once within the window
  std::vector<MemoryPiece> pieces;  ///< the first one starts with the window
};

/// The strips of the groups that hold anything, in their order. Steps shorter than `resolution_s`,
/// about a pixel, become pieces of at least that length where they follow each other: no peak is
/// lost.
std::vector<MemoryStrip> memory_strips(const Timeline& timeline, const TimeWindow& window,
                                       double resolution_s);

}  // namespace starport
