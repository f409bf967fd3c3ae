// What decides who computes a task: the two hooks of a StarPU scheduler, push_task and pop_task.
#pragma once

#include "sim/tiles/copies.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task.hpp"
#include "sim/tiles/work.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace starport::tiles {

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The task is ready. Gives the worker that it is planned for at once; none when it is kept.
  virtual std::optional<int> push(const Task& task, double now_s) = 0;
  /// One of the tasks meant for a worker that has room for one more. It is kept no longer.
  virtual std::optional<Task> pop(int worker) = 0;
  /// The same of another's tasks, once no worker finds any of its own.
  virtual std::optional<Task> steal(int /*worker*/) { return std::nullopt; }
  virtual void end(int /*worker*/, const Task& /*task*/, double /*now_s*/) {}
  /// The worker takes no more tasks. What was planned for it is pushed again.
  virtual void stop(int /*worker*/) {}
  /// Whether the tile is absent at the node has changed.
  virtual void copy(int /*node*/, Tile /*tile*/) {}
};

/// What a strategy may look at; all outlive it.
struct Scene {
  const Platform& platform;
  const Work& work;
  const Copies& copies;
  std::uint64_t seed = 0;
};

using StrategyMaker = std::function<std::unique_ptr<Strategy>(const Scene&)>;

}  // namespace starport::tiles
