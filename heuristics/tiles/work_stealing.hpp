// StarPU's scheduler lws, locality work stealing (StarPU 1.4).
#pragma once

#include "heuristics/tiles/task_lists.hpp"

#include <vector>

namespace starport::tiles {

/// LWS (a scheduler of StarPU), a Strategy: each worker has a list of ready tasks. A task goes to
/// the worker that has just ended its predecessor. A task without a predecessor, or after one on a
/// worker that has stopped, or taken back from such a worker, goes to the workers that have not
/// stopped, in turn from worker 1 on (indices from 0). A worker takes the first task of its list.
/// If it is empty, it steals the last task of the first list that is not, in cyclic order after the
/// one from which it stole before (at first from that of worker 0 on). Made per run by a
/// StrategyMaker; called by the Scheduler and its owner.
class WorkStealing : public Strategy {
 public:
  /// Creates one empty list of ready tasks per worker. The objects that `context` refers to
  /// (platform, task graph, copies of tiles) must outlive this object. Without a worker, push() is
  /// undefined behaviour.
  explicit WorkStealing(const StrategyContext& context)
      : workers_(static_cast<int>(context.platform.workers.size())),
        lists_(context, workers_),
        victims_(context.platform.workers.size()),
        stopped_(context.platform.workers.size()) {}

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;
  std::optional<Task> steal(int worker) override;
  void on_task_end(int worker, const Task& task, double now_s) override;
  void on_worker_stop(int worker) override;

 private:
  int workers_;
  TaskLists lists_;           ///< one list of ready tasks per worker
  std::vector<int> victims_;  ///< by worker: the worker at which its next search starts
  std::vector<bool> stopped_;
  int last_pushed_ = 0;         ///< worker that got the last task that no worker made ready
  std::optional<int> ended_{};  ///< worker whose task has just ended
};

}  // namespace starport::tiles
