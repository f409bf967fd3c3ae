#include "heuristics/tiles/one_list.hpp"

namespace starport::tiles {

std::optional<int> OneList::push(const Task& task, double /*now_s*/) {
  list_.push(0, task);
  return std::nullopt;
}

std::optional<Task> OneList::pop(int worker) {
  if (list_.empty(0)) return std::nullopt;
  if (choice_ == 1) return list_.take_front(0);
  const int node = context_.platform.worker(worker).node;
  return list_.take(
      (choice_ == kAllTasks ? list_.cheapest(node, 0) : list_.cheapest_of_first(node, 0, choice_))
          .task);
}

}  // namespace starport::tiles
