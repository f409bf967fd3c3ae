// The tasks of a product of n x n tiles and their dependencies. The updates T_ijk of a tile of C
// form a chain in the order of k, because they write the same tile. With reductions, each memory
// node that shares a tile of C accumulates into an auxiliary tile in a chain of its own, and a
// chain of reduction tasks adds the auxiliary tiles to the tile of C (ICPP'18, section 4.3.2).
#pragma once

#include "sim/tiles/task.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace starport::tiles {

/// A static assignment of tile tasks to memory nodes, either per tile of C (2D) or per task (3D).
struct Allocation {
  std::int32_t n = 0;                 ///< tiles per side
  std::vector<std::int32_t> nodes{};  ///< n x n nodes row by row, or n x n x n with k fastest
  bool redux = false;  ///< nodes that share a tile of C accumulate into auxiliary tiles (3D only)

  bool is_3d() const {
    return nodes.size() > static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  }
  /// Returns the memory node of the update C_ij += A_ik . B_kj.
  std::int32_t node(std::int32_t i, std::int32_t j, std::int32_t k) const {
    const std::size_t cell =
        static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j);
    return nodes[is_3d() ? cell * static_cast<std::size_t>(n) + static_cast<std::size_t>(k) : cell];
  }
};

/// The tasks of one product, their operands and their order. Immutable; a DependencyTracker follows
/// its execution. A "cell" is the number i * n + j of the tile C_ij.
class TaskGraph {
 public:
  /// Builds the graph for n x n tiles. With an allocation that asks for reductions, each tile of C
  /// shared by two or more nodes gets one auxiliary tile per node.
  TaskGraph(std::int32_t n, std::optional<Allocation> allocation);

  const TileNumbering& numbering() const { return numbering_; }
  /// Returns the number of tiles of A, B, C and all auxiliary tiles.
  Tile tiles() const { return numbering_.target(targets()); }
  /// Returns the number of targets: tiles of C and auxiliary tiles.
  std::int32_t targets() const {
    return numbering_.square() + static_cast<std::int32_t>(auxiliaries_.size());
  }
  /// Returns the number of tasks, reductions included.
  std::int64_t tasks() const;
  /// Returns the static allocation; nullptr if tasks are assigned only at run time.
  const Allocation* allocation() const { return allocation_ ? &*allocation_ : nullptr; }

  bool is_reduction(const Task& task) const { return task.k >= numbering_.n; }
  /// Returns the tiles that `task` accesses.
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
  /// Returns the cell of a target: its own number for a tile of C, or the tile of C that an
  /// auxiliary tile is added to.
  std::int32_t cell_of(std::int32_t target) const {
    return target < numbering_.square() ? target : auxiliary(target).cell;
  }
  /// Returns the memory node that the allocation assigns to `task`; for a reduction, the node of
  /// the tile's last update. Requires an allocation.
  int node(const Task& task) const;

  /// Returns the tasks without predecessors, in the order in which the run-time system pushes them:
  /// by tile of C, row by row.
  std::vector<Task> initial_tasks() const;
  /// Returns the successor of `task` in the chain of its target; empty for the last one.
  std::optional<Task> next(const Task& task) const;
  /// Returns the number of auxiliary tiles that are added to a tile of C; 0 without reductions.
  std::int32_t parts(std::int32_t cell) const {
    return parts_.empty() ? 0 : parts_[static_cast<std::size_t>(cell)].count;
  }
  /// Returns the index of an auxiliary target among the parts of its tile of C, from 0.
  std::int32_t part_of(std::int32_t target) const {
    return target - first_auxiliary(cell_of(target));
  }
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

/// Tracks which tasks of a TaskGraph have completed and which become ready. Keeps a reference to
/// the graph.
class DependencyTracker {
 public:
  explicit DependencyTracker(const TaskGraph& graph);

  /// Marks `task` as completed. Returns the task that became ready, if any.
  std::optional<Task> complete(const Task& task);
  /// Returns the number of tasks that have not completed.
  std::int64_t remaining_tasks() const { return remaining_tasks_; }

 private:
  std::optional<Task> reduction_if_ready(std::int32_t cell, std::int32_t part) const;

  const TaskGraph& graph_;
  std::int64_t remaining_tasks_;
  std::vector<bool> accumulated_;            ///< by target: an auxiliary tile has all its updates
  std::vector<std::int32_t> reduced_parts_;  ///< by cell: parts added to the tile of C
};

}  // namespace starport::tiles
