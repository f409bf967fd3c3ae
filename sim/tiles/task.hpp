// The tasks and tiles of a product of n x n tiles: C_ij += A_ik . B_kj (ICPP'18, section 3.1).
#pragma once

#include <cstdint>

namespace starport::tiles {

/// Number of a tile in a TileNumbering.
using Tile = std::int32_t;

/// Either an update of a target by A_ik . B_kj or a reduction of one auxiliary tile into its tile
/// of C. Targets are the tiles that tasks write: the n x n tiles of C, numbered row by row, then
/// the auxiliary tiles of a TaskGraph with reductions.
struct Task {
  std::int32_t target = 0;
  std::int32_t k = 0;  ///< update: k < n; reduction of the target's part k - n: k >= n

  bool operator==(const Task&) const = default;
};

/// The tiles that one task accesses: it writes `target` and reads `first` and `second`.
struct Operands {
  Tile target = 0;
  Tile first = 0;          ///< tile of A, or the auxiliary tile of a reduction
  Tile second = 0;         ///< tile of B; equal to `first` in a reduction
  bool reduction = false;  ///< true if the task is a reduction, which accesses only two tiles

  int size() const { return reduction ? 2 : 3; }
};

/// The numbering of the tiles of a product of n x n tiles: the tiles of A row by row, then those of
/// B row by row, then the targets.
struct TileNumbering {
  std::int32_t n = 0;  ///< tiles per side

  /// Returns n * n, the number of tiles of each matrix.
  std::int32_t square() const { return n * n; }
  Tile a(std::int32_t i, std::int32_t k) const { return i * n + k; }
  Tile b(std::int32_t k, std::int32_t j) const { return square() + k * n + j; }
  /// Returns the tile of target `number`.
  Tile target(std::int32_t number) const { return 2 * square() + number; }
  bool is_target(Tile tile) const { return tile >= 2 * square(); }
};

/// Largest accepted n: 1.25e8 tasks.
inline constexpr std::int64_t kMaxTilesPerSide = 500;

}  // namespace starport::tiles
