// The tasks and tiles of a product of n x n tiles, C_ij += A_ik . B_kj (ICPP'18, section 3.1), and
// their dependencies. The updates T_ijk of a tile of C form a chain in the order of k, because they
// write the same tile. With reductions, each memory node that shares a tile of C accumulates into
// an auxiliary tile in a chain of its own, and a chain of reduction tasks adds the auxiliary tiles
// to the tile of C (ICPP'18, section 4.3.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace starport::tiles {

/// Number of a tile (a square block of a matrix), from 0, in the order that TileNumbering defines.
using Tile = std::int32_t;

/// One unit of work on tiles: an update C_ij += A_ik . B_kj, or a reduction, which adds one
/// auxiliary tile (a partial sum) to its tile of C. A target is a tile that tasks write: the n x n
/// tiles of C are the targets 0 to n² - 1, row by row, and the auxiliary tiles (partial sums) of a
/// TaskGraph with reductions follow.
struct Task {
  /// Number, from 0, of the target, i.e. the tile that the task writes: i n + j for the tile C_ij
  /// of n x n, from n² on for an auxiliary tile (partial sum of a tile of C).
  std::int32_t target = 0;
  /// For an update in a product of n x n tiles, the index k < n of A_ik and B_kj, from 0. For a
  /// reduction, n plus the index, from 0, of the auxiliary tile (partial sum) to be added among
  /// those of the target.
  std::int32_t k = 0;

  bool operator==(const Task&) const = default;
};

/// The tiles (square blocks of matrices) that one task accesses: it reads and writes `target` and
/// reads `first` and `second`.
struct Operands {
  /// Tile of C, or auxiliary tile (partial sum of a tile of C), that the task reads and writes.
  Tile target = 0;
  /// Tile of A that an update reads, or the auxiliary tile (partial sum) that a reduction reads.
  Tile first = 0;
  /// Tile of B that an update reads; equal to `first` in a reduction (addition of a partial sum to
  /// a tile of C).
  Tile second = 0;
  /// True if the task is a reduction (adds a partial sum to a tile of C), which accesses two
  /// different tiles instead of three.
  bool reduction = false;

  /// Returns the number of different tiles that the task accesses: 2 for a reduction, 3 for an
  /// update.
  int size() const { return reduction ? 2 : 3; }
};

/// The numbering from 0 of the tiles of a product of n x n tiles: those of A row by row, those of B
/// row by row, then the targets, i.e. tiles that tasks write (tiles of C row by row, then auxiliary
/// tiles for partial sums). No function checks that its arguments are in range: a number out of
/// range gives a meaningless tile.
struct TileNumbering {
  /// Number of tiles per side of each of the matrices A, B and C, at most kMaxTilesPerSide.
  std::int32_t n = 0;

  /// Returns n * n, the number of tiles of each of the matrices A, B and C.
  std::int32_t square() const { return n * n; }
  /// Returns the number of the tile A_ik in row i and column k, both from 0 and below n.
  Tile a(std::int32_t i, std::int32_t k) const { return i * n + k; }
  /// Returns the number of the tile B_kj in row k and column j, both from 0 and below n.
  Tile b(std::int32_t k, std::int32_t j) const { return square() + k * n + j; }
  /// Returns the number of the tile that is target `number` (from 0, counting only tiles that tasks
  /// write): a tile of C if `number` is below n², otherwise an auxiliary tile (partial sum).
  Tile target(std::int32_t number) const { return 2 * square() + number; }
  /// Returns true for the number of a tile that tasks write (a tile of C or an auxiliary tile),
  /// false for a tile of A or B.
  bool is_target(Tile tile) const { return tile >= 2 * square(); }
};

/// Largest number n of tiles per side for which commands accept a product of n x n tiles; it has n³
/// = 1.25e8 updates C_ij += A_ik . B_kj.
inline constexpr std::int64_t kMaxTilesPerSide = 500;

/// A static assignment of tile tasks to memory nodes (0: main memory, from 1: GPUs), either per
/// tile of C (2D) or per task (3D). Whoever fills it ensures that `nodes` has n² or n³ entries, all
/// nodes of the platform.
struct Allocation {
  /// Number n of tiles per side of each of the matrices A, B and C.
  std::int32_t n = 0;
  /// Memory node (0: main memory, from 1: GPUs) of each of the n x n tiles of C, row by row (2D),
  /// or of each of the n x n x n updates of C_ij by A_ik . B_kj in the order of (i, j, k) with k
  /// fastest (3D).
  std::vector<std::int32_t> nodes{};
  /// True if memory nodes that share a tile of C each accumulate into an auxiliary tile (a partial
  /// sum), which reduction tasks add to the tile of C. Without effect on a 2D allocation.
  bool redux = false;

  /// Returns true if the allocation is per task (n x n x n entries in `nodes`), false if it is per
  /// tile of C (n x n). A 1 x 1 allocation counts as the latter.
  bool is_3d() const {
    return nodes.size() > static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  }
  /// Returns the memory node (0: main memory, from 1: GPUs) to which the update C_ij += A_ik . B_kj
  /// is assigned. Indices are from 0 and below n; otherwise, or with fewer entries in `nodes` than
  /// is_3d() implies, the behaviour is undefined. An allocation per tile of C ignores `k`.
  std::int32_t node(std::int32_t i, std::int32_t j, std::int32_t k) const {
    const std::size_t cell =
        static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j);
    return nodes[is_3d() ? cell * static_cast<std::size_t>(n) + static_cast<std::size_t>(k) : cell];
  }
};

/// The tasks of one product of n x n tiles, the tiles that they access and their order. Tasks that
/// write the same target (a tile of C, or an auxiliary tile for a partial sum) form a chain, i.e.
/// run one after the other. The graph is immutable; a DependencyTracker follows its execution. A
/// "cell" is the number i * n + j, from 0, of the tile C_ij. Functions do not check their
/// arguments: a task, target or cell that is not in the graph is undefined behaviour.
class TaskGraph {
 public:
  /// Builds the graph for n x n tiles, where 1 <= n <= kMaxTilesPerSide (not checked). If the
  /// allocation, which must be for the same n, asks for reductions, each tile of C whose updates
  /// are on two or more nodes gets one auxiliary tile (partial sum) per memory node. Without an
  /// allocation, only a strategy assigns tasks, at run time.
  TaskGraph(std::int32_t n, std::optional<Allocation> allocation);

  /// Returns the numbering of the tiles of A, B and C and of the auxiliary tiles. The reference is
  /// valid as long as the graph.
  const TileNumbering& numbering() const { return numbering_; }
  /// Returns the total number of tiles of A, B and C and of auxiliary tiles (partial sums of tiles
  /// of C).
  Tile tiles() const { return numbering_.target(targets()); }
  /// Returns the number of targets, i.e. tiles that tasks write: the tiles of C and the auxiliary
  /// tiles (partial sums of tiles of C).
  std::int32_t targets() const {
    return numbering_.square() + static_cast<std::int32_t>(auxiliaries_.size());
  }
  /// Returns the number of tasks in a product of n x n tiles: n³ updates C_ij += A_ik . B_kj and
  /// one reduction per auxiliary tile (partial sum).
  std::int64_t tasks() const;
  /// Returns the static allocation of tasks to memory nodes, which is valid as long as the graph;
  /// nullptr if it was built without one.
  const Allocation* allocation() const { return allocation_ ? &*allocation_ : nullptr; }

  /// Returns true if `task` is a reduction, i.e. adds an auxiliary tile (partial sum) to a tile of
  /// C, false if it is an update C_ij += A_ik . B_kj.
  bool is_reduction(const Task& task) const { return task.k >= numbering_.n; }
  /// Returns the tiles that `task` reads and writes: two different ones for a reduction, three for
  /// an update. O(1).
  Operands operands(const Task& task) const {
    const Tile target = numbering_.target(task.target);
    if (is_reduction(task)) {
      const Tile part = numbering_.target(first_auxiliary(task.target) + task.k - numbering_.n);
      return {.target = target, .first = part, .second = part, .reduction = true};
    }
    const std::int32_t cell = cell_of(task.target);
    return {.target = target,
            .first = numbering_.a(cell / numbering_.n, task.k),
            .second = numbering_.b(task.k, cell % numbering_.n)};
  }
  /// Returns the number i * n + j of the tile C_ij to which a target (tile that tasks write)
  /// belongs: the tile of C itself, or the one that an auxiliary tile (partial sum) is added to.
  std::int32_t cell_of(std::int32_t target) const {
    return target < numbering_.square() ? target : auxiliary(target).cell;
  }
  /// Returns the memory node (0: main memory, from 1: GPUs) to which the static allocation assigns
  /// `task`; for a reduction, the node of the last update (k = n - 1) of its tile of C. Requires an
  /// allocation; without one the behaviour is undefined.
  int node(const Task& task) const;

  /// Returns the tasks without predecessors in the order in which the run-time system makes them
  /// ready: the first task of each tile of C, or of each of its auxiliary tiles (partial sums) if
  /// it has any; tiles of C row by row. O(n²).
  std::vector<Task> initial_tasks() const;
  /// Returns the task that follows `task` in the chain of tasks that write the same target; empty
  /// for the last one. That task may have to wait for others, too: a reduction for the updates of
  /// the auxiliary tile that it adds (see DependencyTracker).
  std::optional<Task> next(const Task& task) const;
  /// Returns the number of auxiliary tiles (partial sums) that are added to the tile C_ij with
  /// number `cell` = i * n + j; 0 without reductions.
  std::int32_t parts(std::int32_t cell) const {
    return parts_.empty() ? 0 : parts_[static_cast<std::size_t>(cell)].count;
  }
  /// Returns the index, from 0, of an auxiliary tile (partial sum), given as a target number, among
  /// those of its tile of C. Requires is_auxiliary(target).
  std::int32_t part_of(std::int32_t target) const {
    return target - first_auxiliary(cell_of(target));
  }
  /// Returns true if the target (tile that tasks write) with this number is an auxiliary tile
  /// (partial sum), false if it is a tile of C.
  bool is_auxiliary(std::int32_t target) const { return target >= numbering_.square(); }

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
    return auxiliaries_[static_cast<std::size_t>(target - numbering_.square())];
  }
  std::int32_t first_auxiliary(std::int32_t cell) const {
    return parts_[static_cast<std::size_t>(cell)].first;
  }

  TileNumbering numbering_;
  std::optional<Allocation> allocation_;
  std::vector<Auxiliary> auxiliaries_;
  std::vector<Parts> parts_;  ///< by cell; empty without reductions
};

/// Tracks during a run which tasks of a TaskGraph have completed and which become ready, i.e. have
/// no predecessor left to run. The graph must outlive it.
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
