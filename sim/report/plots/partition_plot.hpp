// Figures of partitions: the unit square, or the three faces of the unit cube that meet in the
// corner (0, 0, 0), unfolded.
#pragma once

#include "heuristics/partition/to_tiles.hpp"
#include "sim/platform/platform.hpp"
#include "sim/report/plots/drawing.hpp"
#include "sim/results/presentation.hpp"

namespace starport {

/// Largest number of tiles along a side of the square or cube that callers of draw_tiles() should
/// allow, since more cannot be told apart; draw_tiles() does not check it.
inline constexpr std::int64_t kMaxDrawnTiles = 256;

/// Makes a plot of a partition of the unit square (D = 2) or cube (D = 3) among processors: the
/// zone of each, with the processor's name (P1, P2, ...) and the zone's share of the whole where
/// there is room; what belongs to no zone stays blank. Of a cube, the three faces at the corner (0,
/// 0, 0) are shown. An empty `title` is left out. Draws nothing yet: render() does. The result
/// refers to neither argument. Defined for D = 2 and 3 only.
template <std::size_t D>
Drawing draw_partition(const partition::Partition<D>& partition, const std::string& title);

/// Makes a plot of an assignment of n x n tiles of a matrix (D = 2) or n x n x n tasks of a product
/// (D = 3) to processors: each tile in the colour of its processor, whose name (P1, P2, ...) and
/// share of all tiles are shown where there is room. Index i runs to the right, j upwards; of a
/// cube, the three faces at the corner (0, 0, 0) are shown. Every tile must have an owner, and all
/// axes the same number n >= 1 of tiles (undefined behaviour otherwise); n should be at most
/// kMaxDrawnTiles. An empty `title` is left out. Draws nothing yet: render() does. The result
/// refers to neither argument. Defined for D = 2 and 3 only.
template <std::size_t D>
Drawing draw_tiles(const partition::TileAssignment<D>& tiling, const std::string& title);

/// Makes a plot of which part of the matrix C each worker computes, the first row of C on top, with
/// the workers' names and shares of C where there is room. `names` gives the names by worker index
/// from 0; by default P1, P2, ... An empty `title` is left out. Draws nothing yet: render() does.
/// The result refers to no argument.
Drawing draw_division(const Division& division, const std::string& title,
                      const WorkerNames& names = {});

extern template Drawing draw_partition(const partition::Partition<2>&, const std::string&);
extern template Drawing draw_partition(const partition::Partition<3>&, const std::string&);
extern template Drawing draw_tiles(const partition::TileAssignment<2>&, const std::string&);
extern template Drawing draw_tiles(const partition::TileAssignment<3>&, const std::string&);

}  // namespace starport
