// The tasks and tiles of a product of r x s x t tiles, C_ij += A_ik . B_kj (ICPP'18, section 3.1),
// and their dependencies. The updates T_ijk of a tile of C form a chain in the order of k, because
// they write the same tile. With reductions, each memory node that shares a tile of C accumulates
// into an auxiliary tile in a chain of its own, and a chain of reduction tasks adds the auxiliary
// tiles to the tile of C (ICPP'18, section 4.3.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::tiles {

/// Number of a tile (a square block of a matrix) of a product C += A.B, from 0: first the tiles of
/// A, then of B, then of C, each row by row, then auxiliary tiles (partial sums of tiles of C).
using Tile = std::int32_t;

/// One unit of work on tiles: an update C_ij += A_ik . B_kj, or a reduction, which adds one
/// auxiliary tile (a partial sum) to its tile of C. A target is a tile that tasks write: the r x s
/// tiles of C are the targets 0 to r s - 1, row by row, and the auxiliary tiles (partial sums) of a
/// TaskGraph with reductions follow.
struct Task {
  /// Number, from 0, of the target, i.e. the tile that the task writes: i s + j for the tile C_ij
  /// of r x s, from r s on for an auxiliary tile (partial sum of a tile of C).
  std::int32_t target = 0;
  /// For an update, the index k < t of A_ik and B_kj, from 0. For a reduction, t plus the index,
  /// from 0, of the auxiliary tile (partial sum) to be added among those of the target.
  std::int32_t k = 0;

  bool operator==(const Task&) const = default;
};

/// The tiles (square blocks of matrices) that one task accesses: it reads and writes `target` and
/// reads `first` and `second`. In a reduction (addition of a partial sum to a tile of C) the last
/// two are the same tile.
struct Operands {
  /// Tile of C, or auxiliary tile (partial sum of a tile of C), that the task reads and writes.
  Tile target = 0;
  /// Number (see Tile) of the tile of A that an update reads, or of the auxiliary tile (partial
  /// sum) that a reduction reads.
  Tile first = 0;
  /// Tile of B that an update reads; equal to `first` in a reduction (addition of a partial sum to
  /// a tile of C).
  Tile second = 0;
  /// True if the task is a reduction (adds a partial sum to a tile of C), which accesses two
  /// different tiles instead of three: `second` equals `first`.
  bool reduction = false;

  /// Returns the number of different tiles that the task accesses: 2 for a reduction, 3 for an
  /// update.
  int size() const { return reduction ? 2 : 3; }
};

/// The size of a product C += A.B in tiles (square blocks): A has r x t tiles, B t x s, C r x s. A
/// "cell" is the number i s + j, from 0, of the tile C_ij. A plain value.
struct ProductSize {
  /// Number r of rows of tiles of A and of C.
  std::int32_t r = 0;
  /// Number s of columns of tiles of B and of C.
  std::int32_t s = 0;
  /// Number t of tiles in a row of A and in a column of B, i.e. of updates of each tile of C.
  std::int32_t t = 0;

  /// Makes the size of a product of r x s x t tiles, each at least 1 (not checked).
  constexpr ProductSize(std::int32_t rows, std::int32_t columns, std::int32_t inner)
      : r(rows), s(columns), t(inner) {}
  /// Makes the size of a product of square matrices of n x n tiles, n at least 1 (not checked).
  constexpr ProductSize(std::int32_t n) : ProductSize(n, n, n) {}

  /// Returns r s, the number of tiles of C. It must be less than 2^31 (not checked: undefined
  /// behaviour otherwise); commands accept at most kMaxTilesPerMatrix, 10^7.
  std::int32_t cells() const { return r * s; }
  /// Returns r s t, the number of updates C_ij += A_ik . B_kj.
  std::int64_t updates() const { return std::int64_t{cells()} * t; }
  /// Returns the row i, from 0, of the tile C_ij with number `cell` = i s + j.
  std::int32_t row(std::int32_t cell) const { return cell / s; }
  /// Returns the column j, from 0, of the tile C_ij with number `cell` = i s + j.
  std::int32_t column(std::int32_t cell) const { return cell % s; }
  bool operator==(const ProductSize&) const = default;
};

/// The numbering from 0 of the tiles of a product: those of A row by row, those of B row by row,
/// then the targets, i.e. tiles that tasks write (tiles of C row by row, then auxiliary tiles for
/// partial sums). No function checks that its arguments are in range: a number out of range gives a
/// meaningless tile.
struct TileNumbering : ProductSize {
  /// Returns the number of the tile A_ik in row i < r and column k < t, both from 0 (not checked: a
  /// meaningless number otherwise).
  Tile a(std::int32_t i, std::int32_t k) const { return i * t + k; }
  /// Returns the number of the tile B_kj in row k < t and column j < s, both from 0 (not checked: a
  /// meaningless number otherwise).
  Tile b(std::int32_t k, std::int32_t j) const { return r * t + k * s + j; }
  /// Returns the number of the tile that is target `number` (from 0, counting only tiles that tasks
  /// write): a tile of C if `number` is below r s, otherwise an auxiliary tile (partial sum).
  Tile target(std::int32_t number) const { return r * t + t * s + number; }
  /// Returns true if `tile` is the number of a tile of A.
  bool is_of_a(Tile tile) const { return tile < r * t; }
  /// Returns true for the number of a tile that tasks write (a tile of C or an auxiliary tile),
  /// false for a tile of A or B.
  bool is_target(Tile tile) const { return tile >= target(0); }
  /// Returns the row, from 0, of a tile of A or B in its matrix; meaningless for targets (tiles
  /// that tasks write).
  std::int32_t operand_row(Tile tile) const {
    return is_of_a(tile) ? tile / t : (tile - r * t) / s;
  }
  /// Returns the column, from 0, of a tile of A or B in its matrix; meaningless for targets (tiles
  /// that tasks write).
  std::int32_t operand_column(Tile tile) const {
    return is_of_a(tile) ? tile % t : (tile - r * t) % s;
  }
};

/// Largest number of tiles of each of A, B and C for which commands accept a product, so that all
/// tiles have numbers; TileModel::find_obstacle() returns an InputError for more.
inline constexpr std::int64_t kMaxTilesPerMatrix = 10'000'000;

/// A static assignment of tile tasks to memory nodes (0: main memory, from 1: GPUs), either per
/// tile of C (2D) or per task (3D). Whoever fills it ensures that `nodes` has r s or r s t entries,
/// each of them a memory node of the platform that has a worker.
struct Allocation {
  /// Size of the product in tiles.
  ProductSize size;
  /// Memory node (0: main memory, from 1: GPUs) of each of the r x s tiles of C, row by row (2D),
  /// or of each of the r x s x t updates of C_ij by A_ik . B_kj in the order of (i, j, k) with k
  /// fastest (3D).
  std::vector<std::int32_t> nodes{};
  /// True if memory nodes that share a tile of C each accumulate into an auxiliary tile (a partial
  /// sum), which reduction tasks add to the tile of C. Without effect on a 2D allocation.
  bool redux = false;

  /// Returns true if the allocation is per task (r s t entries in `nodes`), false if it is per tile
  /// of C (r s), as for t = 1.
  bool is_3d() const { return nodes.size() > static_cast<std::size_t>(size.cells()); }
  /// Returns the memory node (0: main memory, from 1: GPUs) to which the update C_ij += A_ik . B_kj
  /// is assigned. `cell` is i s + j, where s = size.s. Indices are from 0; out of range, or unless
  /// `nodes` has one entry per tile of C or per update, the behaviour is undefined. An allocation
  /// per tile of C ignores `k`.
  std::int32_t node(std::int32_t cell, std::int32_t k) const {
    const auto place = static_cast<std::size_t>(cell);
    return nodes[is_3d() ? place * static_cast<std::size_t>(size.t) + static_cast<std::size_t>(k)
                         : place];
  }
};

/// The tasks of one product of r x s x t tiles, the tiles that they access and their order. Tasks
/// that write the same target (a tile of C, or an auxiliary tile for a partial sum) form a chain,
/// i.e. run one after the other. The graph is immutable; a DependencyTracker follows its execution.
/// A "cell" is the number i s + j, from 0, of the tile C_ij. Functions do not check their
/// arguments: a task, target or cell that is not in the graph is undefined behaviour.
class TaskGraph {
 public:
  /// Builds the graph for a product of this size, whose matrices have 1 to kMaxTilesPerMatrix tiles
  /// (not checked). If the allocation, which must be for the same size (not checked), asks for
  /// reductions (Allocation::redux), each tile of C whose updates are on two or more nodes gets one
  /// auxiliary tile (partial sum) per such node, in the order of their first updates. Without an
  /// allocation, only a strategy assigns tasks, at run time.
  TaskGraph(const ProductSize& size, std::optional<Allocation> allocation);

  /// Returns the numbering of the tiles of A, B and C and of the auxiliary tiles. The reference is
  /// valid as long as the graph.
  const TileNumbering& numbering() const { return numbering_; }
  /// Returns the total number of tiles of A, B and C and of auxiliary tiles (partial sums of tiles
  /// of C).
  Tile tiles() const { return numbering_.target(targets()); }
  /// Returns the number of targets, i.e. tiles that tasks write: the tiles of C and the auxiliary
  /// tiles (partial sums of tiles of C).
  std::int32_t targets() const {
    return numbering_.cells() + static_cast<std::int32_t>(auxiliaries_.size());
  }
  /// Returns the number of tasks: r s t updates C_ij += A_ik . B_kj and one reduction per auxiliary
  /// tile (partial sum).
  std::int64_t tasks() const;
  /// Returns the static allocation of tasks to memory nodes, which is valid as long as the graph;
  /// nullptr if it was built without one.
  const Allocation* allocation() const { return allocation_ ? &*allocation_ : nullptr; }

  /// Returns true if `task` is a reduction, i.e. adds an auxiliary tile (partial sum) to a tile of
  /// C, false if it is an update C_ij += A_ik . B_kj.
  bool is_reduction(const Task& task) const { return task.k >= numbering_.t; }
  /// Returns the tiles that `task` reads and writes: two different ones for a reduction, three for
  /// an update. O(1).
  Operands operands(const Task& task) const {
    const Tile target = numbering_.target(task.target);
    if (is_reduction(task)) {
      const Tile part = numbering_.target(first_auxiliary(task.target) + task.k - numbering_.t);
      return {.target = target, .first = part, .second = part, .reduction = true};
    }
    const std::int32_t cell = cell_of(task.target);
    return {.target = target,
            .first = numbering_.a(numbering_.row(cell), task.k),
            .second = numbering_.b(task.k, numbering_.column(cell))};
  }
  /// Returns the number i s + j of the tile C_ij to which a target (tile that tasks write)
  /// belongs: the tile of C itself, or the one that an auxiliary tile (partial sum) is added to.
  std::int32_t cell_of(std::int32_t target) const {
    return target < numbering_.cells() ? target : auxiliary(target).cell;
  }
  /// Returns the memory node (0: main memory, from 1: GPUs) to which the static allocation assigns
  /// `task`; for a reduction, the node of the last update (k = t - 1) of its tile of C. Requires an
  /// allocation; without one the behaviour is undefined.
  int node(const Task& task) const;

  /// Returns the tasks without predecessors in the order in which the run-time system makes them
  /// ready: the first task of each tile of C, or of each of its auxiliary tiles (partial sums) if
  /// it has any; tiles of C row by row. O(targets()).
  std::vector<Task> initial_tasks() const;
  /// Returns the task that follows `task` in the chain of tasks that write the same target; empty
  /// for the last one. That task may have to wait for others, too: a reduction for the updates of
  /// the auxiliary tile that it adds (see DependencyTracker).
  std::optional<Task> next(const Task& task) const;
  /// Returns the number of auxiliary tiles (partial sums) that are added to the tile C_ij with
  /// number `cell` = i s + j; 0 without reductions.
  std::int32_t parts(std::int32_t cell) const {
    return parts_.empty() ? 0 : parts_[static_cast<std::size_t>(cell)].count;
  }
  /// Returns the index, from 0, of an auxiliary tile (partial sum), given as a target number, among
  /// those of its tile of C. Requires is_auxiliary(target); otherwise the behaviour is undefined.
  std::int32_t part_of(std::int32_t target) const {
    return target - first_auxiliary(cell_of(target));
  }
  /// Returns true if the target (tile that tasks write) with this number is an auxiliary tile
  /// (partial sum), false if it is a tile of C.
  bool is_auxiliary(std::int32_t target) const { return target >= numbering_.cells(); }

 private:
  /// A tile in which one node accumulates its share of the updates of a tile of C.
  struct Auxiliary {
    std::int32_t cell = 0;
    std::int32_t node = 0;
    std::vector<std::int32_t> ks{};  ///< the k of its updates, ascending
  };
  /// The auxiliary targets of one tile of C, as a range of target numbers.
  struct Parts {
    std::int32_t first = 0;
    std::int32_t count = 0;
  };

  void add_auxiliaries(std::int32_t cell);
  const Auxiliary& auxiliary(std::int32_t target) const {
    return auxiliaries_[static_cast<std::size_t>(target - numbering_.cells())];
  }
  std::int32_t first_auxiliary(std::int32_t cell) const {
    return parts_[static_cast<std::size_t>(cell)].first;
  }

  TileNumbering numbering_;
  std::optional<Allocation> allocation_;
  std::vector<Auxiliary> auxiliaries_;
  std::vector<Parts> parts_;  ///< by cell; empty without reductions
};

/// Returns the name of a task, which must be in the graph (undefined behaviour otherwise), for
/// messages, with numbers from 0: "task (i, j, k)" for the update C_ij += A_ik . B_kj, "reduction 1
/// of C(i, j)" for the second addition of an auxiliary tile (partial sum) to C_ij.
std::string describe(const TaskGraph& graph, const Task& task);

/// The progress of a run through a TaskGraph: which tasks have completed, and which thereby become
/// ready, i.e. have no predecessor left to run. One object per run; the graph must outlive it.
class DependencyTracker {
 public:
  /// Starts with no task of `graph` completed; those of TaskGraph::initial_tasks() are ready.
  /// `graph` must outlive this object.
  explicit DependencyTracker(const TaskGraph& graph);

  /// Marks `task` as completed and returns the task that thereby became ready (has no predecessor
  /// left to run); empty if none did. There is at most one. Must be called once per task, after it
  /// was ready (not checked; the counts are wrong otherwise).
  std::optional<Task> complete(const Task& task);
  /// Returns the number of tasks of the graph, reductions included, that have not completed.
  std::int64_t remaining_tasks() const { return remaining_tasks_; }

 private:
  std::optional<Task> reduction_if_ready(std::int32_t cell, std::int32_t part) const;

  const TaskGraph& graph_;
  std::int64_t remaining_tasks_;
  std::vector<bool> accumulated_;            ///< by target: an auxiliary tile has all its updates
  std::vector<std::int32_t> reduced_parts_;  ///< by cell: parts added to the tile of C
};

}  // namespace starport::tiles
