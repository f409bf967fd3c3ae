// The first task of least cost in a list.
#pragma once

#include "sim/tiles/strategy.hpp"
#include "sim/tiles/task_list.hpp"

#include <cstddef>

namespace starport::tiles {

struct Cheapest {
  std::size_t place = 0;
  int cost = 3;  ///< tiles absent: nothing is gained
};

/// Among the first so many: the first of least cost for the node. Stops at cost 0. A cost of 3 is
/// that of the first task, if there is one.
Cheapest find_cheapest(const Scene& scene, int node, const TaskList& list, std::size_t first_tasks);

}  // namespace starport::tiles
