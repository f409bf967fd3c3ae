// StarPU's schedulers dmda, dmdar and dmdas (ICPP'18, section 4.2.2; StarPU 1.3 and 1.4,
// src/sched_policies/deque_modeling_policy_data_aware.c).
#pragma once

#include "heuristics/tiles/task_lists.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport::tiles {

/// Strategy of the schedulers DMDA, DMDAR and DMDAS of StarPU: push() assigns each task, as soon as
/// it is ready, to the worker that is expected to end it first. That date counts the task's nominal
/// duration, the tasks assigned before, and the transfers of its absent operands (tiles that it
/// uses), one after the other. A transfer between GPUs counts as two through main memory, except
/// with RuntimeOptions::cuda_order. Stopped workers do not count; the worker with the lower index
/// wins ties. The three schedulers differ in the order in which a worker plans the tasks that it
/// was assigned. pop() returns nothing, since no task waits to be chosen. Made per run by a
/// StrategyMaker; called by the Scheduler and its owner.
class Dmda : public Strategy {
 public:
  /// Rule by which the transfers of absent operands count in the choice of a worker. `once`: their
  /// nominal time is added to the end of the tasks assigned before (ICPP'18). `starpu`: as in
  /// StarPU 1.3 and 1.4, their times without latency count 2 g times with g GPUs; the task starts
  /// no earlier than they would end, and they are added once more to its end.
  enum class Transfers : std::uint8_t { once, starpu };
  /// Order in which a worker plans the tasks that it was assigned. `assigned`: as assigned (dmda);
  /// `ready`: first the one with the fewest tiles that have not arrived (dmdar); `sorted`: as
  /// `ready` among those with the most tasks after them in the chain of their tile of C (dmdas).
  /// Ties go to the task with the fewest tiles that were not even requested, then to the one
  /// assigned first.
  enum class Order : std::uint8_t { assigned, ready, sorted };
  /// Parameters in which the schedulers of StarPU's dmda family differ: how transfers count in the
  /// choice of a worker, and in which order a worker takes its tasks. The default is the DMDA of
  /// ICPP'18. A plain value.
  struct Parameters {
    /// Rule by which the transfers of absent operands count in the choice of a worker; `once`:
    /// their nominal time is added to the end of the tasks assigned before.
    Transfers transfers = Transfers::once;
    /// Order in which a worker plans the tasks that it was assigned; `assigned`: in the order in
    /// which they were assigned.
    Order order = Order::assigned;
  };

  /// Creates the DMDA of ICPP'18, i.e. with default parameters. The objects that `context` refers
  /// to (platform, task graph, copies of tiles) must outlive this object; its platform must have a
  /// worker, otherwise push() is undefined behaviour. push() throws std::bad_optional_access for a
  /// reduction task if a worker has no Worker::reduction_s.
  explicit Dmda(const StrategyContext& context) : Dmda(context, Parameters{}) {}
  /// Starts with no load expected on any worker. The objects that `context` refers to (platform,
  /// task graph, copies of tiles) must outlive this object. The platform must have a worker,
  /// otherwise push() is undefined behaviour; if all have stopped, push() assigns to worker 0.
  /// push() throws std::bad_optional_access for a reduction task if a worker has no
  /// Worker::reduction_s.
  Dmda(const StrategyContext& context, const Parameters& parameters);

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int /*worker*/) override { return std::nullopt; }
  std::optional<Task> choose_planned(int worker) override;
  void on_copy_change(int node, Tile tile) override {
    if (assigned_) assigned_->on_copy_change(node, tile);
  }
  void on_copy_arrival(int node, Tile tile) override { on_copy_change(node, tile); }
  void on_task_end(int worker, const Task& task, double now_s) override;
  void on_worker_stop(int worker) override;

 private:
  /// Expected load of one worker.
  struct Expectation {
    double end_s = 0;         ///< E_w, date at which all its assigned tasks end
    double queued_s = 0;      ///< total duration of its tasks that have not ended
    std::int64_t queued = 0;  ///< number of its tasks that have not ended
    bool stopped = false;
  };

  double task_duration_s(int worker, const Task& task) const;
  double transfer_penalty_s(int node, const Operands& operands) const;

  StrategyContext context_;
  Parameters parameters_;
  std::vector<Expectation> expectations_;  ///< by worker
  std::optional<TaskLists> assigned_;      ///< by worker: tasks not planned yet, unless in order
};

}  // namespace starport::tiles
