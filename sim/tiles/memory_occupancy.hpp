// The number of tiles in the memory of each GPU over time.
#pragma once

#include "sim/tiles/task_graph.hpp"
#include "sim/tiles/trace.hpp"

#include <cstdint>
#include <vector>

namespace starport::tiles {

/// The number of tiles in each GPU's memory as a function of simulated time, derived from a trace.
class MemoryOccupancy {
 public:
  /// Replays the transfers, tasks and evictions of a run of `graph` on `platform`. Keeps no
  /// reference to its arguments.
  MemoryOccupancy(const Platform& platform, const TaskGraph& graph, const Trace& trace);

  /// Returns the number of tiles in the memory of GPU `node` (from 1) just after simulated date
  /// `date_s` in seconds, including tiles in flight to it; 0 before the first transfer, and for
  /// node 0 (main memory). Other nodes are undefined behaviour. O(log trace).
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
