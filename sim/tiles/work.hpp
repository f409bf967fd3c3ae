// Which tasks there are and what must end before each: T_ijk before T_ijk+1, for they write the
// same tile. With Redux the nodes that share a tile of C each have an auxiliary tile and so a chain
// of their own; reductions follow, chained too (ICPP'18, section 4.3.2).
#pragma once

#include "sim/tiles/allocation.hpp"
#include "sim/tiles/task.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace starport::tiles {

class Work {
 public:
  /// Without an allocation tasks belong to no node.
  Work(std::int32_t n, std::optional<Allocation> allocation);

  const Tiling& tiling() const { return tiling_; }
  Tile tiles() const { return tiling_.target(targets()); }
  std::int32_t targets() const {
    return tiling_.square() + static_cast<std::int32_t>(auxiliaries_.size());
  }
  std::int64_t tasks() const;
  const Allocation* allocation() const { return allocation_ ? &*allocation_ : nullptr; }

  bool is_reduction(const Task& task) const { return task.k >= tiling_.n; }
  Needs needs(const Task& task) const {
    const Tile target = tiling_.target(task.target);
    if (is_reduction(task)) {
      const Tile part = tiling_.target(first_auxiliary(task.target) + task.k - tiling_.n);
      return {.target = target, .first = part, .second = part, .reduction = true};
    }
    const std::int32_t cell = cell_of(task.target);
    return {.target = target,
            .first = tiling_.a(cell / tiling_.n, task.k),
            .second = tiling_.b(task.k, cell % tiling_.n)};
  }
  /// The tile of C that a target is, or is a part of.
  std::int32_t cell_of(std::int32_t target) const {
    return target < tiling_.square() ? target : auxiliary(target).cell;
  }
  /// Where the allocation puts the task; a reduction is where the last k is.
  int node(const Task& task) const;

  /// The order in which the chains' first tasks are pushed: the tiles of C row by row.
  std::vector<Task> first_tasks() const;
  /// The next of its chain on the same target, if it has one.
  std::optional<Task> next(const Task& task) const;
  /// Parts that are added to this tile of C: 0 unless nodes share it and reduce.
  std::int32_t parts(std::int32_t cell) const {
    return parts_.empty() ? 0 : parts_[static_cast<std::size_t>(cell)].count;
  }
  /// Which of its tile's parts an auxiliary target is.
  std::int32_t part_of(std::int32_t target) const {
    return target - first_auxiliary(cell_of(target));
  }
  bool is_auxiliary(std::int32_t target) const { return target >= tiling_.square(); }

 private:
  struct Auxiliary {
    std::int32_t cell = 0;
    int node = 0;
    std::vector<std::int32_t> ks{};
  };
  struct Parts {
    std::int32_t first = 0;
    std::int32_t count = 0;
  };

  void share(std::int32_t cell);
  const Auxiliary& auxiliary(std::int32_t target) const {
    return auxiliaries_[static_cast<std::size_t>(target - tiling_.square())];
  }
  std::int32_t first_auxiliary(std::int32_t cell) const {
    return parts_[static_cast<std::size_t>(cell)].first;
  }

  Tiling tiling_;
  std::optional<Allocation> allocation_;
  std::vector<Auxiliary> auxiliaries_;
  std::vector<Parts> parts_;  ///< of each tile of C; empty without Redux
};

/// How far the work has got: which reductions wait for which parts.
class Progress {
 public:
  explicit Progress(const Work& work);

  /// What is ready now that the task has ended.
  std::optional<Task> end(const Task& task);
  /// Tasks that have not ended.
  std::int64_t left() const { return left_; }

 private:
  std::optional<Task> reduction(std::int32_t cell, std::int32_t part) const;

  const Work& work_;
  std::int64_t left_;
  std::vector<bool> complete_;         ///< of each auxiliary tile: its updates have ended
  std::vector<std::int32_t> reduced_;  ///< of each tile of C: parts added
};

}  // namespace starport::tiles
