// What no run can beat, and what a partition of C costs at least.
#pragma once

#include "sim/tiles/platform.hpp"

#include <cstdint>

namespace starport::tiles {

struct Bounds {
  double area_s = 0;        ///< start-up, then all workers busy to the end
  double any_run_s = 0;     ///< the same, and the links must bring what the tasks need
  double volume_tiles = 0;  ///< over the links, for shares of C in proportion to the speeds
};

/// With n x n tiles, V tasks of a node need a tiles of A, b of B and c of C, where V² <= abc
/// (Loomis and Whitney, 1949). So what it receives in time T allows at most (T / 3 in)^(3/2) tasks,
/// a tile taking `in`: any_run_s is the least T in which the nodes together get to n³.
///
/// A share s of C has rows and columns of at least 2 n √s together, each with n tiles of A or B,
/// and s n² tiles that come and go (ICPP'18, section 3.1). With M tiles of memory, V tasks move at
/// least 2 V / √M - 2 M (Smith et al., 2019). volume_tiles adds up the larger of the two over the
/// GPUs.
Bounds bounds_of(const Platform& platform, std::int64_t n);

}  // namespace starport::tiles
