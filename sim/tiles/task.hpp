// The tasks and tiles of a product of n x n tiles: C_ij += A_ik . B_kj (ICPP'18, section 3.1).
#pragma once

#include <cstdint>

namespace starport::tiles {

using Tile = std::int32_t;

/// An update of a target by A_ik and B_kj, or, with Redux, a reduction of an auxiliary tile into
/// its C tile. Targets are numbered: the n x n tiles of C row by row, then the auxiliary ones.
struct Task {
  std::int32_t target = 0;
  std::int32_t k = 0;  ///< from n on: reduction k - n of the tile

  bool operator==(const Task&) const = default;
};

/// The three tiles of an update, the target first; a reduction has two.
struct Needs {
  Tile target = 0;
  Tile first = 0;
  Tile second = 0;
  bool reduction = false;  ///< then `second` repeats `first`

  int size() const { return reduction ? 2 : 3; }
};

/// Tiles are numbered: A row by row, B row by row, then the targets.
struct Tiling {
  std::int32_t n = 0;  ///< tiles a side

  std::int32_t square() const { return n * n; }
  Tile a(std::int32_t i, std::int32_t k) const { return i * n + k; }
  Tile b(std::int32_t k, std::int32_t j) const { return square() + k * n + j; }
  Tile target(std::int32_t number) const { return 2 * square() + number; }
  bool is_target(Tile tile) const { return tile >= 2 * square(); }
};

inline constexpr std::int64_t kMostTilesPerSide = 500;  ///< 1.25e8 tasks

}  // namespace starport::tiles
