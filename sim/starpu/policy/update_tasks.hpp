// Recognition of the tasks of a tiled matrix product among the tasks of a StarPU program.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace starport::starpu {

/// The three tiles that an update C_ij += A_ik . B_kj, a StarPU task, accesses: StarPU's handles of
/// its data, not owned. The result of find_update_tiles().
struct UpdateTiles {
  /// StarPU's handle of the tile of C, which the task writes; not owned.
  starpu_data_handle_t c;
  /// StarPU's handle of the tile of A, the first one that the task only reads; not owned.
  starpu_data_handle_t a;
  /// StarPU's handle of the tile of B, the second one that the task only reads; not owned.
  starpu_data_handle_t b;
};

/// Returns the tiles of `task` (not null, not checked) if it has the form of an update: it accesses
/// exactly three data, all different, two with STARPU_R and one with STARPU_RW or STARPU_W, none
/// with STARPU_COMMUTE; nullopt otherwise, e.g. for a task without a codelet.
std::optional<UpdateTiles> find_update_tiles(struct starpu_task* task);

/// The layout of the matrix C of a product as place_tiles_of_c() found it from the tasks: numbers
/// of rows and columns of tiles, and the position of each tile. A plain value.
struct TilesOfC {
  /// Number r of rows of tiles of C.
  std::int32_t rows = 0;
  /// Number s of columns of tiles of C.
  std::int32_t columns = 0;
  /// Position i s + j of each tile C_ij in row i and column j (both from 0) of a matrix with s =
  /// `columns` columns, in the order in which place_tiles_of_c() got the updates of the tiles.
  std::vector<std::int32_t> numbers{};
};

/// Assigns a place to each tile of C of a product by its first updates (k = 0), C_ij += A_i0 .
/// B_0j. Two updates with the same tile of A are in one row, two with the same tile of B in one
/// column; rows and columns are numbered in the order of their first update. Returns nullopt unless
/// each of the tiles of A meets each of those of B in exactly one update, and all tiles of C
/// differ. Without updates, the result has no rows and columns.
std::optional<TilesOfC> place_tiles_of_c(std::span<const UpdateTiles> updates);

}  // namespace starport::starpu
