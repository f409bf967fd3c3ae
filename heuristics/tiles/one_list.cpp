#include "heuristics/tiles/one_list.hpp"

#include "heuristics/tiles/cheapest.hpp"

namespace starport::tiles {

std::optional<int> OneList::push(const Task& task, double /*now_s*/) {
  list_.push(task);
  return std::nullopt;
}

std::optional<Task> OneList::pop(int worker) {
  if (list_.empty()) return std::nullopt;
  if (choice_ == 1) return list_.take_front();
  const int node = scene_.platform.worker(worker).node;
  return list_.take(find_cheapest(scene_, node, list_, choice_).place);
}

}  // namespace starport::tiles
