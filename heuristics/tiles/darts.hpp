// DARTS, data-aware reactive task scheduling, with its eviction rule LUF (Gonthier, Marchal and
// Thibault, IPDPS 2022; for tasks with dependencies, hal-04146714 and StarPU's
// src/sched_policies/darts.c).
#pragma once

#include "sim/tiles/strategy.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

namespace starport::tiles {

/// DARTS, a Strategy: a GPU without planned tasks chooses the tile whose transfer enables the most
/// ready tasks, i.e. those whose other tiles it has, and plans them all. If no tile enables a task,
/// it plans one task that lacks two tiles, else the first ready one. A task that becomes ready
/// where all its tiles are is planned there at once. Where memory is short, the tile that the
/// fewest planned tasks use is evicted first (LUF, least used in the future), and those tasks are
/// planned no longer. Made per run by a StrategyMaker; called by the Runtime.
class Darts : public Strategy {
 public:
  /// Starts without ready tasks. With `cpus`, an addition of ours, a CPU worker takes the ready
  /// task that came last of those planned nowhere; without it, CPU workers take none where there
  /// are GPUs (the authors advise against CPU workers). The objects that `context` refers to
  /// (platform, task graph, copies of tiles) must outlive this object.
  Darts(const StrategyContext& context, bool cpus);

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;
  std::int64_t eviction_rank(int node, Tile tile) const override {
    return uses_[index(node, tile)];
  }
  void on_copy_change(int node, Tile tile) override;
  void on_worker_stop(int worker) override;

 private:
  /// The gain of a node if it fetches one tile. The greatest is the best.
  struct Gain {
    double tasks_per_s = 0;      ///< tasks enabled per second of transfer
    std::int64_t enabled = 0;    ///< ready tasks that lack this tile only
    std::int64_t nearly = 0;     ///< ready tasks that lack this tile and one more
    std::int64_t remaining = 0;  ///< ready tasks that use the tile

    auto operator<=>(const Gain&) const = default;
  };
  /// The tiles of a task that are absent at a node.
  struct Absent {
    std::array<Tile, 3> tiles{};
    std::size_t count = 0;

    auto begin() const { return tiles.begin(); }
    auto end() const { return tiles.begin() + static_cast<std::ptrdiff_t>(count); }
    bool contains(Tile tile) const { return std::find(begin(), end(), tile) != end(); }
  };

  Absent absent_tiles(int node, const Task& task) const;
  bool is_free(int node, const Task& task) const;
  void count_uses(int node, const Task& task, std::int64_t change);
  std::optional<Task> pop_last();
  void choose(int node);
  std::size_t index(int node, Tile tile) const {
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(context_.graph.tiles()) +
           static_cast<std::size_t>(tile);
  }
  std::list<Task>& planned(int node) { return planned_[static_cast<std::size_t>(node)]; }

  StrategyContext context_;
  bool cpus_;
  std::vector<int> nodes_{};              ///< nodes that plan tasks
  std::list<Task> ready_{};               ///< planned nowhere, in the order in which they came
  std::vector<std::list<Task>> planned_;  ///< by node
  std::vector<std::int64_t> uses_;        ///< by node and tile: planned tasks that use it
  std::size_t pushes_ = 0;
};

}  // namespace starport::tiles
