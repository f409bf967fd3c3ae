// The number of tiles in the memory of each GPU over time.
#pragma once

#include "sim/tiles/task_graph.hpp"
#include "sim/tiles/trace.hpp"

#include <cstdint>
#include <vector>

namespace starport::tiles {

/// The number of tiles in each GPU's memory as a function of time, derived from a trace.
class MemoryOccupancy {
 public:
  MemoryOccupancy(const Platform& platform, const TaskGraph& graph, const Trace& trace);

  /// Returns the number of tiles in the memory of GPU `node` just after `date_s`, including tiles
  /// in flight to it.
  std::int64_t tiles_at(int node, double date_s) const;

 private:
  struct Step {
    double date_s;
    std::int64_t tiles;  ///< in memory from this date on
  };
  void add_step(int node, double date_s, std::int64_t change);

  std::vector<std::vector<Step>> steps_;  ///< by node; sorted by date
};

}  // namespace starport::tiles
