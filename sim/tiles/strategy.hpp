// The interface of scheduling strategies for tile tasks, modelled on the push_task and pop_task
// hooks of a StarPU scheduler.
#pragma once

#include "sim/tiles/copies.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task.hpp"
#include "sim/tiles/task_graph.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace starport::tiles {

/// Decides which worker computes which ready task. The Runtime owns the strategy and calls its
/// hooks; between push() and the pop(), steal() or immediate assignment of a task, the strategy
/// stores it.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Receives a ready task. Returns the worker to assign it to immediately; empty if the strategy
  /// stores it until a pop() or steal().
  virtual std::optional<int> push(const Task& task, double now_s) = 0;
  /// Removes and returns a stored task for `worker`, which can take one more; empty if none is
  /// meant for it.
  virtual std::optional<Task> pop(int worker) = 0;
  /// Removes and returns a stored task that is meant for other workers. Called once pop() returns
  /// nothing for every worker with room.
  virtual std::optional<Task> steal(int /*worker*/) { return std::nullopt; }
  /// Notifies that `task` has ended on `worker`, before its successor is pushed.
  virtual void on_task_end(int /*worker*/, const Task& /*task*/, double /*now_s*/) {}
  /// Notifies that `worker` takes no more tasks. The tasks planned for it are then pushed again.
  virtual void on_worker_stop(int /*worker*/) {}
  /// Notifies that the copy of `tile` at `node` became absent, or is no longer absent.
  virtual void on_copy_change(int /*node*/, Tile /*tile*/) {}
};

/// The state that a strategy may read. The references stay valid for the strategy's lifetime.
struct StrategyContext {
  const Platform& platform;
  const TaskGraph& graph;
  const Copies& copies;
  std::uint64_t seed = 0;  ///< for strategies that draw random numbers
};

/// Creates a strategy for one run.
using StrategyMaker = std::function<std::unique_ptr<Strategy>(const StrategyContext&)>;

}  // namespace starport::tiles
