// Rounding partitions of the unit square to the tiles of a matrix, and partitions of the unit cube
// to the tasks of a product (ICPP'18, section 3.3).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstdint>
#include <vector>

namespace starport::partition {

/// The way in which to_tiles() rounds a partition of the unit square or cube to whole tiles.
enum class Rounding {
  /// ROUNDED, round_edges(): each edge goes to the nearest tile boundary. Zones (the parts of the
  /// processors) keep their form; the numbers of tiles are in proportion to the speeds only
  /// roughly.
  rounded,
  /// PRECISE, round_precisely(): the numbers of tiles are in proportion to the speeds but for
  /// rounding to integers. Zones (the parts of the processors) lose their form.
  precise
};

/// The processor of each of n x n tiles of a matrix (D = 2) or n x n x n tasks of a product (D =
/// 3), both called tiles here; result of to_tiles(). A plain value that refers to nothing else.
template <std::size_t D>
struct TileAssignment {
  /// Number of tiles (or tasks) per side of the square or cube.
  std::int64_t n = 0;
  /// Processor, from 0, of each tile: of tile (i, j) at index n i + j, of task (i, j, k) at n (n i
  /// + j) + k. -1 for a tile that no processor's zone covers, which partitions made by the methods
  /// don't have.
  std::vector<std::int32_t> owner;
  /// Number of tiles (or tasks) of each processor, by its index from 0, in the order of the speeds.
  std::vector<std::int64_t> tiles;
};

/// Largest number of tiles per side that callers should ask for in D dimensions, because of memory
/// and time: 8192 for D = 2, 406 for D = 3 (about 67 million tiles). round_edges(),
/// round_precisely() and to_tiles() do not check it.
template <std::size_t D>
inline constexpr std::int64_t kMaxTiles = D == 2 ? 8192 : 406;

/// ROUNDED: assigns each tile of a grid with n tiles per side (n^D tiles) to a processor by
/// rounding each edge of the partition of the unit square or cube to the nearest tile boundary,
/// halves up. Zones keep their form; small zones may become empty. O(n^D + zones). Requires n >= 1
/// and a partition that covers the unit square or cube with boxes inside it (not checked): n < 0 or
/// a box outside is undefined behaviour; a tile in no box gets owner -1.
template <std::size_t D>
TileAssignment<D> round_edges(const Partition<D>& partition, std::int64_t n);

/// PRECISE: assigns the n^D tiles of a grid with n tiles per side to processors such that processor
/// k (from 1) gets exactly Round(n^D S_k) - Round(n^D S_{k-1}) tiles, where S_k is the sum of the
/// first k speeds over the sum of all, and halves are rounded up. Assigns the whole tiles within
/// each box first. Each remaining tile, in the order of the indices, goes to the owner of an
/// adjacent tile that still lacks the fewest tiles or, if no such owner lacks any, to the processor
/// that lacks the fewest. O(3^D n^D + n^D log p). Throws InputError unless the speeds are finite,
/// not negative, and at least one is positive. `speeds` must be those that the partition was
/// computed for, and n >= 1 (neither is checked; with fewer speeds than zones the behaviour is
/// undefined).
template <std::size_t D>
TileAssignment<D> round_precisely(const Partition<D>& partition, const std::vector<double>& speeds,
                                  std::int64_t n);

/// Assigns the n^D tiles of a grid with n tiles per side to the processors of `partition`, by
/// round_edges() or round_precisely() according to `rounding`. Only Rounding::precise uses
/// `speeds`, and throws InputError unless they are finite, not negative, and at least one is
/// positive. `speeds` must be those that the partition was computed for, and n >= 1; neither is
/// checked, and the behaviour is undefined otherwise.
template <std::size_t D>
TileAssignment<D> to_tiles(const Partition<D>& partition, const std::vector<double>& speeds,
                           std::int64_t n, Rounding rounding) {
  return rounding == Rounding::rounded ? round_edges(partition, n)
                                       : round_precisely(partition, speeds, n);
}

/// Returns for each processor, in the order of assignment.tiles, the number of tile rows plus tile
/// columns in which it has tiles (D = 2), or the number of tiles of A, B and C that its tasks
/// access (D = 3); 0 for a processor without tiles. O(D n^D). Every tile must have an owner in [0,
/// tiles.size()); otherwise the behaviour is undefined.
template <std::size_t D>
std::vector<std::int64_t> count_projections(const TileAssignment<D>& assignment);

extern template TileAssignment<2> round_edges(const Partition<2>&, std::int64_t);
extern template TileAssignment<3> round_edges(const Partition<3>&, std::int64_t);
extern template TileAssignment<2> round_precisely(const Partition<2>&, const std::vector<double>&,
                                                  std::int64_t);
extern template TileAssignment<3> round_precisely(const Partition<3>&, const std::vector<double>&,
                                                  std::int64_t);
extern template std::vector<std::int64_t> count_projections(const TileAssignment<2>&);
extern template std::vector<std::int64_t> count_projections(const TileAssignment<3>&);

}  // namespace starport::partition
