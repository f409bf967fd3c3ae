// Strategies with one central list of ready tasks (ICPP'18, section 4.2.2).
#pragma once

#include "heuristics/tiles/task_lists.hpp"
#include "sim/tiles/scheduler.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace starport::tiles {

/// Value for the number of candidates of a CentralList, per decision, that makes it consider all
/// ready tasks.
inline constexpr std::size_t kAllTasks = std::numeric_limits<std::size_t>::max();

/// Strategy with one list of ready tasks: gives a worker with room for a task the one with the
/// fewest operands (tiles of A, B and C that it uses) absent at the worker's memory node (main
/// memory or a GPU), among the first `candidates` ready tasks; the task that became ready first on
/// ties. It is the algorithm FirstDyn of ICPP'18 with 1 candidate, ChoiceDyn-X with X, EffectiveDyn
/// with kAllTasks. Made per run by a StrategyMaker; called by the Scheduler and its owner.
class CentralList : public Strategy {
 public:
  /// Creates an empty list of ready tasks, of which each decision considers the first `candidates`:
  /// at least 1 (0 counts as 1), kAllTasks for all. The objects that `context` refers to (platform,
  /// task graph, copies of tiles) must outlive this object.
  CentralList(const StrategyContext& context, std::size_t candidates)
      : context_(context), candidates_(candidates), list_(context, 1) {}

  std::optional<int> push(const Task& task, double /*now_s*/) override {
    list_.push(0, task);
    return std::nullopt;
  }
  std::optional<Task> pop(int worker) override {
    if (list_.is_empty(0)) return std::nullopt;
    if (candidates_ == 1) return list_.remove_front(0);
    const int node = context_.platform.worker(worker).node;
    const TaskLists::Cheapest cheapest = candidates_ == kAllTasks
                                             ? list_.find_cheapest(node, 0)
                                             : list_.find_cheapest_of_first(node, 0, candidates_);
    return list_.remove(cheapest.task);
  }
  void on_copy_change(int node, Tile tile) override { list_.on_copy_change(node, tile); }

 private:
  StrategyContext context_;
  std::size_t candidates_;
  TaskLists list_;  ///< a single list, number 0
};

/// Strategy with one list of ready tasks as CentralList, but a CPU worker takes a task only when it
/// is idle, and not if TimelyRule expects that task and those after it on its tile of C to end
/// later than all workers together could end all tasks, by the durations of an assumed platform.
/// GPUs take as many tasks as the run-time system allows. Made for one run.
class TimelyList : public CentralList {
 public:
  /// Creates an empty list that considers the first `candidates` ready tasks (0 counts as 1;
  /// kAllTasks: all). The objects that `context` refers to must outlive this object. `assumed`, a
  /// platform with the same workers, gives the task durations; no reference to it is kept.
  TimelyList(const StrategyContext& context, std::size_t candidates, const Platform& assumed)
      : CentralList(context, candidates),
        platform_(context.platform),
        timely_(assumed, context.graph),
        assigned_(context.platform.workers.size()) {}

  std::optional<Task> pop(int worker) override {
    int& assigned = assigned_[static_cast<std::size_t>(worker)];
    const bool is_cpu = platform_.worker(worker).node == kHub;
    if (is_cpu && (assigned > 0 || timely_.is_late(worker))) return std::nullopt;
    const std::optional<Task> task = CentralList::pop(worker);
    if (task) ++assigned;
    return task;
  }
  void on_task_end(int worker, const Task& /*task*/, double /*now_s*/) override {
    --assigned_[static_cast<std::size_t>(worker)];
    timely_.on_task_end();
  }
  void on_worker_stop(int worker) override { timely_.on_worker_stop(worker); }

 private:
  const Platform& platform_;
  TimelyRule timely_;
  std::vector<int> assigned_;  ///< by worker: tasks that it has taken and that have not ended
};

}  // namespace starport::tiles
