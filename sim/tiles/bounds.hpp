// Lower bounds on the makespan and on the volume of communication of tile tasks.
#pragma once

#include "sim/tiles/platform.hpp"

#include <cstdint>

namespace starport::tiles {

/// Lower bounds on the makespan and on the number of transferred tiles for a product of n x n tiles
/// (square blocks) on one machine with CPU workers and GPUs, as compute_bounds() returns them; no
/// noise is considered.
struct Bounds {
  /// Area bound, a lower bound on the makespan in seconds: Platform::start_up_s plus the time that
  /// the update tasks take if all workers compute until the end, without waiting for data.
  double area_s = 0;
  /// Lower bound on the makespan in seconds, at least `area_s`: it also counts the limited speed of
  /// the links to the GPUs.
  double makespan_s = 0;
  /// Lower bound on the number of tiles moved over the links of the GPUs, in both directions, if
  /// each memory node (main memory or a GPU) computes a share of C in proportion to its speed.
  double volume_tiles = 0;
};

/// Computes lower bounds on makespan and transferred tiles for a product of n x n tiles (square
/// blocks), n >= 1, with nominal durations. Requires at least one worker; without one it does not
/// return.
///
/// makespan_s: V tasks of a memory node (main memory or a GPU) need a tiles of A, b of B and c of C
/// with V² <= abc (Loomis and Whitney, 1949). A GPU that receives one tile in `in` seconds
/// therefore executes at most (T / (3 in))^(3/2) tasks by time T. The bound is the smallest T by
/// which the nodes together can execute n³ tasks.
///
/// volume_tiles: a share s of C spans rows and columns of at least 2 n √s tiles in total, each with
/// n tiles of A or B, and its s n² tiles are moved twice (ICPP'18, section 3.1). With a memory of M
/// tiles, V tasks move at least 2 V / √M - 2 M tiles (Smith et al., 2019). The bound is the sum
/// over the GPUs of the larger of the two.
Bounds compute_bounds(const Platform& platform, std::int64_t n);

}  // namespace starport::tiles
