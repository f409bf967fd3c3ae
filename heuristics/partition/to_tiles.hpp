// From zones of a square (cube) to the tiles of a matrix (the tasks of a product): ICPP'18,
// section 3.3.
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstdint>
#include <vector>

namespace starport::partition {

enum class Rounding {
  rounded,  ///< the edges to the nearest tile: zones keep their form, loads differ
  precise   ///< every processor has its exact number of tiles, zones get ragged
};

/// n x n tiles (n x n x n tasks) with the processor of each, in the order of i, then j, then k.
template <std::size_t D>
struct Tiling {
  std::int64_t n = 0;
  std::vector<std::int32_t> owner;
  std::vector<std::int64_t> tiles;  ///< of each processor
};

/// The largest n in two and three dimensions.
template <std::size_t D>
inline constexpr std::int64_t kMostTiles = D == 2 ? 8192 : 406;

/// ROUNDED: every edge at the nearest integer, halves up. A small zone may become empty.
/// O(tiles + zones).
template <std::size_t D>
Tiling<D> rounded(const Partition<D>& partition, std::int64_t n);

/// PRECISE: processor k has exactly Round(n^D S_k) - Round(n^D S_{k-1}) tiles, S the sums of the
/// speeds in their order. First the largest box of whole tiles within each box; then the tiles
/// left, in order: each to the processor of an adjacent tile that has fewest left to get, else to
/// any that has. O(3^D tiles + tiles log p).
template <std::size_t D>
Tiling<D> precise(const Partition<D>& partition, const std::vector<double>& speeds, std::int64_t n);

template <std::size_t D>
Tiling<D> to_tiles(const Partition<D>& partition, const std::vector<double>& speeds, std::int64_t n,
                   Rounding rounding) {
  return rounding == Rounding::rounded ? rounded(partition, n) : precise(partition, speeds, n);
}

/// The tile rows and columns (faces of the cube: A, B and C tiles) that each processor takes part
/// in.
template <std::size_t D>
std::vector<std::int64_t> projections(const Tiling<D>& tiling);

extern template Tiling<2> rounded(const Partition<2>&, std::int64_t);
extern template Tiling<3> rounded(const Partition<3>&, std::int64_t);
extern template Tiling<2> precise(const Partition<2>&, const std::vector<double>&, std::int64_t);
extern template Tiling<3> precise(const Partition<3>&, const std::vector<double>&, std::int64_t);
extern template std::vector<std::int64_t> projections(const Tiling<2>&);
extern template std::vector<std::int64_t> projections(const Tiling<3>&);

}  // namespace starport::partition
