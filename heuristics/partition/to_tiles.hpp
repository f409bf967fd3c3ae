// Rounding partitions of the unit square to the tiles of a matrix, and partitions of the unit cube
// to the tasks of a product (ICPP'18, section 3.3).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstdint>
#include <vector>

namespace starport::partition {

/// A method of rounding a partition to tiles.
enum class Rounding {
  rounded,  ///< ROUNDED, round_edges(): zones keep their form, loads differ
  precise   ///< PRECISE, round_precisely(): exact loads, zones lose their form
};

/// The processor of each of n x n tiles (D = 2) or n x n x n tasks (D = 3), both called tiles here.
template <std::size_t D>
struct TileAssignment {
  std::int64_t n = 0;  ///< tiles per side
  std::vector<std::int32_t>
      owner;  ///< processor by tile (i, j) or (i, j, k), the last index fastest
  std::vector<std::int64_t> tiles;  ///< number of tiles by processor
};

/// Largest supported number of tiles per side in D dimensions.
template <std::size_t D>
inline constexpr std::int64_t kMaxTiles = D == 2 ? 8192 : 406;

/// ROUNDED: rounds each edge to the nearest tile boundary, halves up. Small zones may become empty.
/// O(tiles + zones).
template <std::size_t D>
TileAssignment<D> round_edges(const Partition<D>& partition, std::int64_t n);

/// PRECISE: gives processor k exactly Round(n^D S_k) - Round(n^D S_{k-1}) tiles, where S_k is the
/// sum of the first k relative speeds. Assigns the whole tiles within each box first. Each
/// remaining tile, in order, goes to the owner of an adjacent tile that lacks the fewest tiles, or
/// to the processor that lacks the fewest. O(3^D tiles + tiles log p).
template <std::size_t D>
TileAssignment<D> round_precisely(const Partition<D>& partition, const std::vector<double>& speeds,
                                  std::int64_t n);

/// Rounds a partition to n tiles per side by the given method. `speeds` are those of the partition.
template <std::size_t D>
TileAssignment<D> to_tiles(const Partition<D>& partition, const std::vector<double>& speeds,
                           std::int64_t n, Rounding rounding) {
  return rounding == Rounding::rounded ? round_edges(partition, n)
                                       : round_precisely(partition, speeds, n);
}

/// Returns, by processor, the number of tile rows and columns in which it has tiles (D = 2), or the
/// number of tiles of A, B and C that its tasks access (D = 3).
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
