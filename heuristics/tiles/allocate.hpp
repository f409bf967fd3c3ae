// Static allocations of tile tasks, derived from partitions of a square or cube among the memory
// nodes (ICPP'18, sections 3.3 and 4.1.2).
#pragma once

#include "heuristics/partition/to_tiles.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"

#include <string>

namespace starport::tiles {

/// Parameters of a static allocation.
struct AllocationMethod {
  std::string partition = "NRRP";  ///< name of one of partition::methods()
  partition::Rounding rounding = partition::Rounding::rounded;
  bool redux = false;  ///< see Allocation::redux
};

/// Computes an allocation that gives each memory node a zone in proportion to the total speed of
/// its workers. Throws NotApplicable if n exceeds partition::kMaxTiles, or if `redux` is set for a
/// 2D partition, in which nodes share no tile of C.
Allocation allocate(const Platform& platform, std::int32_t n, const AllocationMethod& method);

}  // namespace starport::tiles
