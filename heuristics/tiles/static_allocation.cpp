#include "heuristics/tiles/static_allocation.hpp"

namespace starport::tiles {

/// Also after a theft: the next task on the tile comes back.
std::optional<int> StaticAllocation::push(const Task& task, double /*now_s*/) {
  list(scene_.work.node(task)).push(task);
  return std::nullopt;
}

std::optional<Task> StaticAllocation::pop(int worker) {
  TaskList& own = list(node(worker));
  if (own.empty()) return std::nullopt;
  return own.take_front();
}

}  // namespace starport::tiles
