// Rounding partitions of the unit square to the tiles of a matrix, and partitions of the unit cube
// to the tasks of a product (ICPP'18, section 3.3).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace starport::partition {

/// Rule by which to_tiles() rounds the edges of a partition of the unit square or cube to whole
/// tiles: `rounded` keeps the form of the zones (the parts of the processors), `precise` gives each
/// processor a number of tiles in proportion to its speed.
enum class Rounding {
  /// ROUNDED, round_edges(): each edge goes to the nearest tile boundary. Zones (the parts of the
  /// processors) keep their form; the numbers of tiles are in proportion to the speeds only
  /// roughly.
  rounded,
  /// PRECISE, round_precisely(): the numbers of tiles are in proportion to the speeds but for
  /// rounding to integers. Zones (the parts of the processors) lose their form.
  precise
};

/// The processor of each of r x s tiles of a matrix (D = 2) or r x s x t tasks of a product (D =
/// 3), both called tiles here; result of to_tiles(). A plain value that refers to nothing else.
template <std::size_t D>
struct TileAssignment {
  /// Numbers of tiles along the axes: r rows and s columns; in 3D of tasks: r, s and t, where C has
  /// r x s tiles and A r x t.
  TileCounts<D> counts{};
  /// Processor, from 0, of each tile, for r x s (x t) tiles in `counts`: in 2D of tile (i, j) at
  /// index s i + j, in 3D of task (i, j, k) at t (s i + j) + k. -1 for a tile that no processor's
  /// zone covers, which partitions made by the methods do not have.
  std::vector<std::int32_t> owner;
  /// Number of tiles (in 3D of tasks) of each processor, by its index from 0, which is that of its
  /// speed in the list of speeds.
  std::vector<std::int64_t> tiles;
};

/// Largest number of tiles that callers should ask for, because of memory and time: 8192 x 8192, or
/// some 406 x 406 x 406. round_edges(), round_precisely() and to_tiles() do not check it.
inline constexpr std::int64_t kMaxTiles = 8192 * 8192;

/// Returns the product of the numbers of tiles along the axes, or a number above kMaxTiles (8192²)
/// if it is larger than that. The numbers must be 0 to 10^11 (not checked: overflow otherwise).
template <std::size_t D>
std::int64_t count_tiles(const TileCounts<D>& counts) {
  std::int64_t tiles = 1;
  for (const std::int64_t count : counts) tiles = std::min(tiles, kMaxTiles + 1) * count;
  return tiles;
}

/// Assigns each tile of a grid with `counts` tiles along the axes to a processor by rounding each
/// edge of a partition to the nearest tile boundary, halves up (ROUNDED of ICPP'18, section 3.3).
/// Zones keep their form; small zones may become empty. O(tiles + zones). Requires counts of at
/// least 1 and a partition of a box whose sides begin at 0, with all zones within it; otherwise the
/// behaviour is undefined. A tile in no zone gets owner -1.
template <std::size_t D>
TileAssignment<D> round_edges(const Partition<D>& partition, const TileCounts<D>& counts);

/// Assigns the N tiles of a grid with `counts` tiles along the axes to processors such that
/// processor k (from 1) gets exactly Round(N S_k) - Round(N S_{k-1}) tiles, where S_k is the sum of
/// the first k speeds over the sum of all, and halves are rounded up (PRECISE of ICPP'18, section
/// 3.3). Assigns the whole tiles within each box first. Each remaining tile, in the order of the
/// indices, goes to a processor that lacks tiles: an owner of an adjacent tile (diagonals included)
/// if one lacks any; of several, the one that lacks the fewest, on ties that of smaller index.
/// O(3^D N + N log p) for p processors. Throws InputError unless the speeds are finite, not
/// negative, and at least one is positive. Requires counts of at least 1 and a partition, computed
/// for these `speeds`, of a box whose sides begin at 0; otherwise the behaviour is undefined.
template <std::size_t D>
TileAssignment<D> round_precisely(const Partition<D>& partition, const std::vector<double>& speeds,
                                  const TileCounts<D>& counts);

/// Assigns the tiles of a grid with `counts` tiles along the axes to the processors of `partition`,
/// by round_edges() or round_precisely() according to `rounding`. Only Rounding::precise uses
/// `speeds`, and throws InputError unless they are finite, not negative, and at least one is
/// positive. Requires counts of at least 1, a partition of a box whose sides begin at 0 and, for
/// Rounding::precise, the `speeds` that it was computed for; otherwise the behaviour is undefined.
template <std::size_t D>
TileAssignment<D> to_tiles(const Partition<D>& partition, const std::vector<double>& speeds,
                           const TileCounts<D>& counts, Rounding rounding) {
  return rounding == Rounding::rounded ? round_edges(partition, counts)
                                       : round_precisely(partition, speeds, counts);
}

/// Returns for each processor, in the order of assignment.tiles, the number of tile rows plus tile
/// columns in which it has tiles (D = 2), or the number of tiles of A, B and C that its tasks
/// access (D = 3); 0 for a processor without tiles. O(D tiles). Every tile must have an owner in
/// [0, tiles.size()); otherwise the behaviour is undefined.
template <std::size_t D>
std::vector<std::int64_t> count_projections(const TileAssignment<D>& assignment);

extern template TileAssignment<2> round_edges(const Partition<2>&, const TileCounts<2>&);
extern template TileAssignment<3> round_edges(const Partition<3>&, const TileCounts<3>&);
extern template TileAssignment<2> round_precisely(const Partition<2>&, const std::vector<double>&,
                                                  const TileCounts<2>&);
extern template TileAssignment<3> round_precisely(const Partition<3>&, const std::vector<double>&,
                                                  const TileCounts<3>&);
extern template std::vector<std::int64_t> count_projections(const TileAssignment<2>&);
extern template std::vector<std::int64_t> count_projections(const TileAssignment<3>&);

}  // namespace starport::partition
