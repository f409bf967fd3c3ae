// StarPU's scheduler heteroprio with calibrated slow-down factors (StarPU 1.4).
#pragma once

#include "heuristics/tiles/task_lists.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace starport::tiles {

/// HeteroPrio (a scheduler of StarPU), a Strategy: one bucket of ready tasks for all workers, last
/// in, first out. A worker with room for a task takes two tasks: it stores the one that became
/// ready last, and is assigned the one before. It takes only one if it has stored one already, or
/// if the bucket has fewer tasks than there are workers that have not stopped; if both hold, none.
/// Workers of the slower kind (CPUs or GPUs), by a factor f, take no first or second task while the
/// bucket has fewer than f tasks per worker of the other kind that has not stopped. A worker that
/// takes none is assigned the task that it has stored, or else that of the next worker of its kind,
/// in cyclic order, that has stored one. Made per run by a StrategyMaker; called by the Scheduler
/// and its owner.
class HeteroPrio : public Strategy {
 public:
  /// Creates an empty bucket. The slow-down factor f is the mean nominal duration of an update on
  /// the workers of the slower kind (on a tie, GPUs), divided by that on the other kind; with
  /// workers of one kind only, none waits. The objects that `context` refers to (platform, task
  /// graph, copies of tiles) must outlive this object.
  explicit HeteroPrio(const StrategyContext& context);

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;
  void on_worker_stop(int worker) override;

 private:
  std::size_t kind(int worker) const {
    return context_.platform.worker(worker).node == kHub ? 0 : 1;
  }
  bool may_take(int worker) const;

  StrategyContext context_;
  TaskLists bucket_;                         ///< a single list, number 0
  std::vector<std::optional<Task>> stored_;  ///< by worker
  std::array<double, 2> slow_down_{};        ///< by kind: f for the slower one, 0 for the other
  std::array<std::size_t, 2> running_{};     ///< by kind: workers that have not stopped
};

}  // namespace starport::tiles
