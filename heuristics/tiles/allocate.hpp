// Static allocations of tile tasks, derived from partitions of a square or cube among the memory
// nodes (ICPP'18, sections 3.3 and 4.1.2).
#pragma once

#include "heuristics/partition/to_tiles.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"

#include <string>

namespace starport::tiles {

/// Parameters of a static allocation of tile tasks to memory nodes.
struct AllocationMethod {
  /// Name of one of partition::methods(), by which C (2D) or the cube of tasks (3D) is divided.
  std::string partition = "NRRP";
  /// Method by which the zones of the partition are rounded to whole tiles.
  partition::Rounding rounding = partition::Rounding::rounded;
  /// True if memory nodes that share a tile of C each accumulate into an auxiliary tile, which
  /// reduction tasks add up; needs a 3D partition.
  bool redux = false;
};

/// Computes an allocation for n x n tiles that gives each memory node a zone in proportion to the
/// total speed of its workers. Throws NotApplicable if n exceeds partition::kMaxTiles, or if
/// `method.redux` is set for a 2D partition, in which nodes share no tile of C. Throws InputError
/// if the partitioning method is unknown or needs another number of memory nodes.
Allocation allocate(const Platform& platform, std::int32_t n, const AllocationMethod& method);

}  // namespace starport::tiles
