// Figures of partitions: the unit square, or the three faces of the unit cube that meet in the
// corner (0, 0, 0), unfolded.
#pragma once

#include "heuristics/partition/to_tiles.hpp"
#include "sim/platform/worker_names.hpp"
#include "sim/report/plots/gnuplot.hpp"
#include "sim/results/presentation.hpp"

namespace starport {

/// The largest number of tiles per side that draw_tiles() should be given: more cannot be told
/// apart.
inline constexpr std::int64_t kMaxDrawnTiles = 256;

/// Draws the zones of a partition, each with the name and the share of its processor where there is
/// room.
template <std::size_t D>
Drawing draw_partition(const partition::Partition<D>& partition, std::string title);

/// Draws the tiles of a tiling in the colours of their processors.
template <std::size_t D>
Drawing draw_tiles(const partition::TileAssignment<D>& tiling, std::string title);

/// Draws which part of C each worker computes, the first row of C on top.
Drawing draw_division(const Division& division, std::string title, const WorkerNames& names = {});

extern template Drawing draw_partition(const partition::Partition<2>&, std::string);
extern template Drawing draw_partition(const partition::Partition<3>&, std::string);
extern template Drawing draw_tiles(const partition::TileAssignment<2>&, std::string);
extern template Drawing draw_tiles(const partition::TileAssignment<3>&, std::string);

}  // namespace starport
