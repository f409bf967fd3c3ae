// The interface of scheduling strategies for tile tasks, modelled on the push_task and pop_task
// hooks of a StarPU scheduler.
#pragma once

#include "sim/tiles/copies.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace starport::tiles {

/// A scheduling algorithm at run time: decides which worker computes which ready task. A
/// StrategyMaker makes one for each run; the Runtime owns it and calls its hooks, one at a time.
/// The strategy stores a task from push() until it returns it from pop() or steal(), unless push()
/// assigned it. Workers are indices into Platform::workers, from 0; dates are simulated seconds and
/// do not decrease. Exceptions of hooks end the run.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Receives a task that became ready at date `now_s`, or again because its worker failed. Returns
  /// the worker to assign it to immediately, even if its queue is full; empty if the strategy
  /// stores it until a pop() or steal(). The worker must exist and not have stopped
  /// (on_worker_stop()): a stopped one would never run the task.
  virtual std::optional<int> push(const Task& task, double now_s) = 0;
  /// Removes and returns a stored task for `worker`, which has room in its queue and has not
  /// stopped; empty if none is meant for it. Called at the start of the run and after each end of a
  /// task or stop of a worker, repeatedly until queues are full or no worker gets a task.
  virtual std::optional<Task> pop(int worker) = 0;
  /// Removes and returns a stored task that is meant for other workers than `worker`, which has
  /// room in its queue; empty if there is none to steal, as by default. Called once pop() returns
  /// nothing for every worker with room.
  virtual std::optional<Task> steal(int /*worker*/) { return std::nullopt; }
  /// Notifies that `task` has ended on `worker` at date `now_s`, before its successor is passed to
  /// push(). Does nothing by default.
  virtual void on_task_end(int /*worker*/, const Task& /*task*/, double /*now_s*/) {}
  /// Notifies that `worker` has failed and takes no more tasks. The tasks planned for it are then
  /// passed to push() again. Does nothing by default.
  virtual void on_worker_stop(int /*worker*/) {}
  /// Notifies that the copy of `tile` at memory node `node` became absent, or is no longer absent
  /// because a transfer of it was requested. Not called when the transfer ends. Does nothing by
  /// default.
  virtual void on_copy_change(int /*node*/, Tile /*tile*/) {}
};

/// The state of a run that a strategy may read, as a StrategyMaker receives it. The references stay
/// valid for the strategy's lifetime.
struct StrategyContext {
  /// Machine that the tasks run on.
  const Platform& platform;
  /// Tasks of the product and their order.
  const TaskGraph& graph;
  /// State of every copy of every tile, which the Runtime keeps up to date.
  const Copies& copies;
  /// Seed for strategies that draw random numbers; the same seed must give the same decisions.
  std::uint64_t seed = 0;
};

/// Function that creates the strategy of one run. It must not return nullptr; the references in its
/// argument outlive the strategy. May throw NotApplicable if the strategy does not fit the platform
/// or the tasks.
using StrategyMaker = std::function<std::unique_ptr<Strategy>(const StrategyContext&)>;

}  // namespace starport::tiles
