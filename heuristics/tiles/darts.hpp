// DARTS, data-aware reactive task scheduling, with its eviction rule LUF (Gonthier, Marchal and
// Thibault, IPDPS 2022; for tasks with dependencies, hal-04146714 and StarPU's
// src/sched_policies/darts.c).
#pragma once

#include "sim/tiles/strategy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace starport::tiles {

/// DARTS, a Strategy: when a GPU asks for a task and has none planned, plans tasks for it by the
/// first of these rules that applies:
/// - all ready tasks of which the GPU has or awaits all tiles;
/// - the ready tasks that lack only one certain tile of A or B, namely the tile for which there are
///   most such tasks; or, instead, one task that lacks only its tile of C, if that gives more tasks
///   per second of transfer;
/// - one task that lacks two tiles, among them the tile of A or B that most such tasks lack;
/// - the first ready task.
///
/// A task that becomes ready is planned at once on a GPU that has or awaits each of its tiles or
/// will fetch it for a planned task. Where memory is short, the tile that the fewest planned tasks
/// use is evicted first (LUF, least used in the future), and those tasks are planned no longer.
/// Made per run by a StrategyMaker; its hooks are called by the Scheduler and the Scheduler's
/// owner.
class Darts : public Strategy {
 public:
  /// Starts without ready tasks. With `cpus`, an addition of ours, a CPU worker takes the ready
  /// task that came last of those that are planned nowhere and need no transfer to main memory;
  /// without it, CPU workers take none (the authors advise against CPU workers). Once all GPUs have
  /// stopped, or if there is none, they take the ready task that came last in either case. The
  /// objects that `context` refers to (platform, task graph, copies of tiles) must outlive this
  /// object. The task graph must have no reductions (undefined behaviour otherwise).
  Darts(const StrategyContext& context, bool cpus);

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;
  std::int64_t eviction_rank(int node, Tile tile) const override {
    return uses_[index(node, tile)];
  }
  void on_copy_change(int node, Tile tile) override;
  void on_copy_arrival(int /*node*/, Tile tile) override { update_source(tile); }
  void on_worker_stop(int worker) override;

 private:
  /// Set of the operands of a task that are absent at a node: kTarget, kFirst and kSecond, or
  /// kNotReady for a target without a ready task.
  using Absent = std::uint8_t;
  static constexpr Absent kTarget = 1;
  static constexpr Absent kFirst = 2;
  static constexpr Absent kSecond = 4;
  static constexpr Absent kNotReady = 8;

  /// Ready tasks by number, i.e. in the order in which they came, with their targets.
  using Numbered = std::map<std::int64_t, std::int32_t>;
  /// Position of a ready task in an ordered set: time in seconds to fetch its tile of C, number of
  /// the task, its target.
  using Place = std::tuple<double, std::int64_t, std::int32_t>;

  /// The ready task of a target that is planned nowhere.
  struct Ready {
    std::int64_t number = 0;  ///< in the order in which they came
    std::int32_t k = 0;
    int source = kHub;  ///< node from which its tile of C would be fetched
  };
  /// Gain of a memory node by a tile of A or B: tasks that lack this tile only, those that lack it
  /// and one more, ready tasks that use it, the negative number of the first of these, and the
  /// negative tile. The greatest is the best.
  using Gain = std::tuple<std::int32_t, std::int32_t, std::size_t, std::int64_t, Tile>;
  using GainIterator = std::set<Gain>::const_iterator;

  /// Counts and ordered sets of the ready tasks by the tiles that they lack at one memory node.
  struct View {
    std::vector<Absent> absent{};         ///< by target
    std::array<std::int64_t, 4> tasks{};  ///< by number of absent tiles
    std::set<Place> complete{};           ///< tasks that lack no tile
    std::set<Place> lack_target{};        ///< tasks that lack their tile of C only
    /// By tile of A or B: tasks that lack this tile only, and those that lack it and one more.
    std::vector<std::int32_t> enabled{}, nearly{};
    std::set<Gain> gains{};  ///< of the tiles that enable a task, alone or with one tile more
    std::vector<GainIterator> places{};  ///< by tile of A or B: its place in `gains`, or their end
    std::vector<Tile> changed{};  ///< tiles of A or B whose gain may have changed; some repeatedly
  };

  Absent find_absent(int node, const Operands& operands) const;
  bool is_free(int node, const Task& task) const;
  void count_uses(int node, const Task& task, std::int64_t change);

  void add_ready(const Task& task);
  Task remove_ready(std::int32_t target);
  void set_absent(int node, std::int32_t target, Absent absent);
  void count(int node, std::int32_t target, Absent absent, std::int32_t change);
  void mark_changed(View& view, Tile tile);
  void mark_users_changed(const Operands& operands);
  void update_gains(View& view);
  void update_source(Tile tile);

  std::optional<Task> pop_last();
  void choose(int node);
  void plan(int node, std::int32_t target);
  std::size_t index(int node, Tile tile) const {
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(context_.graph.tiles()) +
           static_cast<std::size_t>(tile);
  }
  std::list<Task>& planned(int node) { return planned_[static_cast<std::size_t>(node)]; }
  View& view(int node) { return views_[static_cast<std::size_t>(node)]; }
  Numbered& users(Tile tile) { return users_[static_cast<std::size_t>(tile)]; }
  const Numbered& users(Tile tile) const { return users_[static_cast<std::size_t>(tile)]; }

  StrategyContext context_;
  bool cpus_;
  std::vector<int> nodes_{};              ///< nodes that plan tasks
  std::vector<std::list<Task>> planned_;  ///< by node
  std::vector<std::int64_t> uses_;        ///< by node and tile: planned tasks that use it
  std::vector<Ready> ready_;              ///< by target
  Numbered order_{};                      ///< all ready tasks that are planned nowhere
  std::vector<Numbered> users_;           ///< by tile of A or B: those of order_ that use it
  std::vector<View> views_;               ///< by node; that of main memory only with cpus_
  std::size_t pushes_ = 0;
  std::int64_t additions_ = 0;
};

}  // namespace starport::tiles
