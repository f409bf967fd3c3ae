// Static allocations from partitions: each memory node's zone in proportion to the speed of its
// workers together (ICPP'18, sections 3.3 and 4.1.2).
#pragma once

#include "heuristics/partition/to_tiles.hpp"
#include "sim/tiles/allocation.hpp"
#include "sim/tiles/platform.hpp"

#include <string>
#include <vector>

namespace starport::tiles {

struct AllocationRule {
  std::string method = "NRRP";  ///< one of partition::methods()
  partition::Rounding rounding = partition::Rounding::rounded;
  bool redux = false;
};

/// Tasks a second of each node; 0 for a hub without workers.
std::vector<double> node_speeds(const Platform& platform);

/// Throws NotApplicable for more tiles than the method rounds, and for reductions where no tile of
/// C is shared.
Allocation allocate(const Platform& platform, std::int32_t n, const AllocationRule& rule);

}  // namespace starport::tiles
