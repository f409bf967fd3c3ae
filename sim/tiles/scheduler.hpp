// Assignment of ready tile tasks to workers: the part of the run-time system that simulated and
// real runs share. It has neither a clock nor tiles.
#pragma once

#include "sim/tiles/platform.hpp"
#include "sim/tiles/strategy.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace starport::tiles {

/// The rule CpuRule::timely, by which a CPU worker leaves its next task to others if it would end
/// late: if that task, followed on the fastest GPU by the rest of its chain (the tasks that write
/// the same tile), would end after the date by which all workers together can run all tasks that
/// remain. Assumes nominal durations of updates for all tasks, and the same number of remaining
/// tasks in each chain. One object follows one run.
class TimelyRule {
 public:
  /// Starts with all tasks of a graph and all workers of a platform; keeps no reference to either.
  TimelyRule(const Platform& platform, const TaskGraph& graph);
  /// Returns true if a task that the CPU worker `worker` (index from 0; out of range is undefined
  /// behaviour) takes now, followed on the fastest GPU by the rest of its chain (the tasks that
  /// write the same tile), would end after the date by which all workers together can run all tasks
  /// that remain; always false if there is no GPU or all GPUs have stopped.
  bool is_late(int worker) const;
  /// Counts down the tasks of the graph that remain, on which is_late() depends. Call it once for
  /// each task that has ended.
  void on_task_end() { --remaining_tasks_; }
  /// Excludes a worker (index from 0; out of range is undefined behaviour) that has stopped from
  /// the counts on which is_late() depends.
  void on_worker_stop(int worker);

 private:
  void update_speeds();

  struct Speed {
    double update_s = 0;
    bool is_gpu = false;
    bool stopped = false;
  };
  std::vector<Speed> workers_;
  std::int64_t remaining_tasks_;  ///< tasks of the graph that have not ended
  std::int64_t targets_;
  double tasks_per_s_ = 0;  ///< total speed of the workers that have not stopped
  double gpu_task_s_ = 0;   ///< duration of a task on the fastest GPU that has not stopped
};

/// Scheduler that assigns ready tasks to the queues of workers through a scheduling strategy, which
/// it owns. Has no clock and moves no tiles: its owner (the simulated Runtime, or a scheduler of
/// StarPU) reports which tasks are ready and have ended, updates the copies of tiles in the
/// StrategyContext, and moves the tiles. Workers are indices into Platform::workers. Not
/// thread-safe.
class Scheduler {
 public:
  /// Function that the Scheduler calls with each task that it has just assigned to a worker (index
  /// from 0), also beyond what the worker plans (Strategy::push()), so that the function requests
  /// its tiles before the next decision. The reference is valid during the call only.
  using OnAssigned = std::function<void(int worker, const AssignedTask& assigned)>;

  /// Creates the strategy of the run by calling `strategy`; exceptions of that call pass through.
  /// The objects that `context` refers to must outlive this one. `context.runtime` says how many
  /// tasks a worker plans, and by which rule CPU workers take them. `on_assigned` must not be
  /// empty.
  Scheduler(const StrategyContext& context, const StrategyMaker& strategy, OnAssigned on_assigned);

  /// Passes a task that became ready at date `now_s` in seconds to Strategy::push(), which assigns
  /// it to a worker at once or stores it until assign_tasks(). The worker must exist (undefined
  /// behaviour otherwise) and not have stopped (it would never run the task). If the worker has
  /// room for a planned task, Strategy::choose_planned() chooses it. Throws SimulationError if that
  /// returns a task that does not wait to be planned by the worker, or if the task is assigned to a
  /// GPU although RuntimeOptions::fetches_for_one_task is true. Exceptions of the strategy pass
  /// through.
  void push(const Task& task, double now_s);
  /// Assigns tasks that the strategy stores until no worker has room (by `planned_tasks`, `cpus`
  /// and `fetches_for_one_task` of RuntimeOptions) or the strategy returns no more. The worker with
  /// the shortest queue comes first, on ties the lower index. Strategy::steal() is called once
  /// Strategy::pop() returns nothing for each worker with room. Exceptions of the strategy pass
  /// through.
  void assign_tasks();

  /// Returns the current task of `worker` (index from 0; out of range is undefined behaviour),
  /// which runs or is the next to run, and those planned behind it, in the order in which they are
  /// to run; empty if it has none. The reference is valid as long as this object; its content
  /// changes with each decision.
  const std::deque<AssignedTask>& queue(int worker) const { return at(worker).tasks; }
  /// Returns the number of tasks assigned to `worker` (index from 0; out of range is undefined
  /// behaviour) that have not ended: those of queue() and those that Strategy::push() assigned
  /// beyond what the worker plans.
  std::size_t assigned_tasks(int worker) const {
    return at(worker).tasks.size() + at(worker).waiting.size();
  }
  /// Returns true if stop() has been called for `worker` (index from 0; out of range is undefined
  /// behaviour).
  bool is_stopped(int worker) const { return at(worker).stopped; }
  /// Returns true if stop() has been called for any worker.
  bool has_stopped_workers() const;
  /// Returns the scheduling strategy, which this object owns, so that the caller can notify it of
  /// changes of copies and of ends of tasks; valid as long as this object.
  Strategy& strategy() { return *strategy_; }
  /// Returns the scheduling strategy, which this object owns, e.g. to ask for the ranks in which
  /// copies are evicted; valid as long as this object.
  const Strategy& strategy() const { return *strategy_; }

  /// Removes the current task of `worker` (index from 0), which has ended, from its queue, which
  /// must not be empty (undefined behaviour otherwise), and returns it. If Strategy::push() has
  /// assigned more tasks than the worker plans, the strategy chooses which of them is planned next;
  /// throws SimulationError if it chooses one that is not among them. Exceptions of the strategy
  /// pass through. The caller then calls Strategy::on_task_end(), pushes the tasks that have become
  /// ready, and calls assign_tasks().
  AssignedTask remove_current(int worker);
  /// Excludes `worker` (index from 0; out of range is undefined behaviour) from further
  /// assignments, notifies the strategy, whose exceptions pass through, and removes all tasks of
  /// the worker but the first `kept` of queue(worker): 1 if its current task runs, otherwise 0;
  /// more than the queue has is undefined behaviour. Returns those removed, which the caller has to
  /// push again: the planned ones in the order of the queue, then those that Strategy::push()
  /// assigned beyond what the worker plans, in the order of assignment.
  std::vector<AssignedTask> stop(int worker, std::size_t kept);

 private:
  /// The tasks assigned to a worker.
  struct WorkerQueue {
    std::deque<AssignedTask> tasks{};  ///< the current one and the planned ones
    std::list<Task> waiting{};         ///< by Strategy::push(); none while another could be planned
    bool stopped = false;
  };
  /// A task that push() has assigned and that is not planned yet, found by its target.
  struct WaitingTask {
    int worker = -1;  ///< -1: none
    std::list<Task>::iterator place{};
  };

  using Hook = std::optional<Task> (Strategy::*)(int);
  bool assign_one_task(Hook hook);
  std::size_t window(int worker) const;
  bool has_room(int worker) const;
  bool awaits_tiles(int worker) const;
  void plan_next(int worker);
  WorkerQueue& at(int worker) { return queues_[static_cast<std::size_t>(worker)]; }
  const WorkerQueue& at(int worker) const { return queues_[static_cast<std::size_t>(worker)]; }

  const Platform& platform_;
  const TaskGraph& graph_;
  const Copies& copies_;
  std::vector<WorkerQueue> queues_;
  std::vector<WaitingTask> waiting_{};  ///< by target; empty until push() assigns a task
  std::size_t planned_tasks_;
  CpuRule cpus_;
  bool fetches_for_one_task_;
  TimelyRule timely_;
  OnAssigned on_assigned_;
  std::unique_ptr<Strategy> strategy_;
};

}  // namespace starport::tiles
