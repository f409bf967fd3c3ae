#include "heuristics/tiles/static_allocation.hpp"

namespace starport::tiles {

/// Also after a theft: the next task on the tile comes back.
std::optional<int> StaticAllocation::push(const Task& task, double /*now_s*/) {
  lists_.push(scene_.work.node(task), task);
  return std::nullopt;
}

std::optional<Task> StaticAllocation::pop(int worker) {
  const int own = node(worker);
  if (lists_.empty(own)) return std::nullopt;
  return lists_.take_front(own);
}

}  // namespace starport::tiles
