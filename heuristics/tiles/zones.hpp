// The zones of a product's tiles of C, each in the order in which its node should open them.
#pragma once

#include <cstdint>
#include <vector>

namespace starport::tiles {

/// Of n x n tiles, numbered row by row, one zone for each speed (none for a speed of 0): NRRP,
/// ROUNDED. Speeds that differ by no more than their uncertainty, a part of them, count as equal.
/// A zone's order is squares about its outermost corner: for each number of tiles about the fewest
/// rows and columns. What comes last lies where zones meet.
std::vector<std::vector<std::int32_t>> zones_from_corners(std::int32_t n,
                                                          const std::vector<double>& speeds,
                                                          double uncertainty);

}  // namespace starport::tiles
