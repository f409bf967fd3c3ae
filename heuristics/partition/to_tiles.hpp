// Rounding partitions of the unit square to the tiles of a matrix, and partitions of the unit cube
// to the tasks of a product (ICPP'18, section 3.3).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstdint>
#include <vector>

namespace starport::partition {

/// A method of rounding a partition of the unit square or cube to whole tiles.
enum class Rounding {
  rounded,  ///< ROUNDED, round_edges(): zones keep their form, loads differ
  precise   ///< PRECISE, round_precisely(): exact loads, zones lose their form
};

/// The processor of each of n x n tiles (D = 2) or n x n x n tasks (D = 3), both called tiles here.
template <std::size_t D>
struct TileAssignment {
  /// Number of tiles per side.
  std::int64_t n = 0;
  /// Processor (from 0) of each tile (i, j) or (i, j, k), the last index fastest.
  std::vector<std::int32_t> owner;
  /// Number of tiles of each processor.
  std::vector<std::int64_t> tiles;
};

/// Largest number of tiles per side that callers should ask for in D dimensions, because of memory
/// and time: 8192 for D = 2, 406 for D = 3. The functions of this file do not check it.
template <std::size_t D>
inline constexpr std::int64_t kMaxTiles = D == 2 ? 8192 : 406;

/// ROUNDED: divides n tiles per side, n >= 1, by rounding each edge of the partition to the nearest
/// tile boundary, halves up. Zones keep their form; small zones may become empty. O(tiles + zones).
template <std::size_t D>
TileAssignment<D> round_edges(const Partition<D>& partition, std::int64_t n);

/// PRECISE: divides n tiles per side, n >= 1, such that processor k gets exactly Round(n^D S_k) -
/// Round(n^D S_{k-1}) tiles, where S_k is the sum of the first k speeds over the sum of all.
/// Assigns the whole tiles within each box first. Each remaining tile, in order, goes to the owner
/// of an adjacent tile that lacks the fewest tiles, or to the processor that lacks the fewest.
/// `speeds` must be those that the partition was computed for. O(3^D tiles + tiles log p). Throws
/// InputError unless the speeds are finite, not negative, and at least one is positive.
template <std::size_t D>
TileAssignment<D> round_precisely(const Partition<D>& partition, const std::vector<double>& speeds,
                                  std::int64_t n);

/// Rounds a partition to n tiles per side, n >= 1, by the given method. `speeds` must be those that
/// the partition was computed for; only Rounding::precise uses them, and throws InputError unless
/// they are finite, not negative, and at least one is positive.
template <std::size_t D>
TileAssignment<D> to_tiles(const Partition<D>& partition, const std::vector<double>& speeds,
                           std::int64_t n, Rounding rounding) {
  return rounding == Rounding::rounded ? round_edges(partition, n)
                                       : round_precisely(partition, speeds, n);
}

/// Returns for each processor the number of tile rows plus tile columns in which it has tiles (D =
/// 2), or the number of tiles of A, B and C that its tasks access (D = 3). Every tile must have an
/// owner. O(D tiles).
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
