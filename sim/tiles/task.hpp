// The tasks and tiles of a product of n x n tiles: C_ij += A_ik . B_kj (ICPP'18, section 3.1).
#pragma once

#include <cstdint>

namespace starport::tiles {

/// Number of a tile (a square block of a matrix), from 0, in the order that TileNumbering defines.
using Tile = std::int32_t;

/// One unit of work on tiles: an update C_ij += A_ik . B_kj, or a reduction, which adds one
/// auxiliary tile (a partial sum) to its tile of C. A target is a tile that tasks write: the n x n
/// tiles of C are the targets 0 to n² - 1, row by row, and the auxiliary tiles of a TaskGraph with
/// reductions follow.
struct Task {
  /// Number of the target that the task writes, from 0.
  std::int32_t target = 0;
  /// For an update of n x n tiles, the index k < n of A_ik and B_kj, from 0. For a reduction, n
  /// plus the index, from 0, of the auxiliary tile that is added to the target.
  std::int32_t k = 0;

  bool operator==(const Task&) const = default;
};

/// The tiles that one task accesses: it reads and writes `target` and reads `first` and `second`.
struct Operands {
  /// Tile of C, or auxiliary tile, that the task reads and writes.
  Tile target = 0;
  /// Tile of A that an update reads, or the auxiliary tile that a reduction reads.
  Tile first = 0;
  /// Tile of B that an update reads; equal to `first` in a reduction.
  Tile second = 0;
  /// True if the task is a reduction, which accesses two different tiles instead of three.
  bool reduction = false;

  /// Returns the number of different tiles: 2 for a reduction, 3 for an update.
  int size() const { return reduction ? 2 : 3; }
};

/// The numbering from 0 of the tiles of a product of n x n tiles: those of A row by row, those of B
/// row by row, then the targets (tiles of C row by row, then auxiliary tiles). No function checks
/// that its arguments are in range.
struct TileNumbering {
  /// Number of tiles per side of each matrix, at most kMaxTilesPerSide.
  std::int32_t n = 0;

  /// Returns n * n, the number of tiles of each matrix.
  std::int32_t square() const { return n * n; }
  /// Returns the tile A_ik in row i and column k, both from 0 and below n.
  Tile a(std::int32_t i, std::int32_t k) const { return i * n + k; }
  /// Returns the tile B_kj in row k and column j, both from 0 and below n.
  Tile b(std::int32_t k, std::int32_t j) const { return square() + k * n + j; }
  /// Returns the tile of target `number`, counted from 0: a tile of C if it is below n², otherwise
  /// an auxiliary tile.
  Tile target(std::int32_t number) const { return 2 * square() + number; }
  /// Returns true for a tile of C or an auxiliary tile, false for a tile of A or B.
  bool is_target(Tile tile) const { return tile >= 2 * square(); }
};

/// Largest number n of tiles per side for which a command accepts a product of n x n tiles; it has
/// n³ = 1.25e8 updates.
inline constexpr std::int64_t kMaxTilesPerSide = 500;

}  // namespace starport::tiles
