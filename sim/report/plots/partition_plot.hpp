// Partitions drawn as the papers do: the square, or the three faces of the cube that meet in the
// corner (0, 0, 0), unfolded.
#pragma once

#include "heuristics/partition/to_tiles.hpp"
#include "sim/platform/worker_names.hpp"
#include "sim/report/plots/gnuplot.hpp"
#include "sim/results/presentation.hpp"

namespace starport {

/// The largest n whose tiles can still be told apart.
inline constexpr std::int64_t kMostDrawnTiles = 256;

/// Zones with the names of their processors, where there is room, and their shares.
template <std::size_t D>
Drawing draw_partition(const partition::Partition<D>& partition, std::string title);

/// The tiles instead, at most kMostDrawnTiles a side.
template <std::size_t D>
Drawing draw_tiles(const partition::Tiling<D>& tiling, std::string title);

/// What each worker computes of C, the first row on top.
Drawing draw_division(const Division& division, std::string title, const WorkerNames& names = {});

extern template Drawing draw_partition(const partition::Partition<2>&, std::string);
extern template Drawing draw_partition(const partition::Partition<3>&, std::string);
extern template Drawing draw_tiles(const partition::Tiling<2>&, std::string);
extern template Drawing draw_tiles(const partition::Tiling<3>&, std::string);

}  // namespace starport
