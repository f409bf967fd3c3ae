#include "heuristics/tiles/cheapest.hpp"

#include <algorithm>

namespace starport::tiles {

Cheapest find_cheapest(const Scene& scene, int node, const TaskList& list,
                       std::size_t first_tasks) {
  Cheapest cheapest;
  const std::size_t end = std::min(first_tasks, list.size());
  for (std::size_t place = 0; place < end && cheapest.cost > 0; ++place) {
    const int cost = scene.copies.cost(node, scene.work.needs(list[place]));
    if (cost < cheapest.cost) cheapest = {.place = place, .cost = cost};
  }
  return cheapest;
}

}  // namespace starport::tiles
