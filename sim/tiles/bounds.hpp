// Lower bounds on the makespan and on the volume of communication of tile tasks.
#pragma once

#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"

namespace starport::tiles {

/// Lower bounds on the makespan and on the number of transferred tiles for a product of tiles
/// (square blocks) on one machine with CPU workers and GPUs, as compute_bounds() returns them; no
/// noise is considered.
struct Bounds {
  /// Area bound, a lower bound on the makespan in seconds: Platform::start_up_s plus the time that
  /// the update tasks take (with Platform::task_overhead_s each) if all workers compute until the
  /// end, without waiting for data.
  double area_s = 0;
  /// Lower bound on the makespan in seconds, start-up included, at least `area_s`: it also counts
  /// the limited speed of the links to the GPUs.
  double makespan_s = 0;
  /// Lower bound on the number of tiles moved over the links of the GPUs, in both directions, if
  /// each memory node (main memory or a GPU) computes a share of C in proportion to its speed and
  /// no GPU holds more than Link::memory_tiles tiles.
  double volume_tiles = 0;
};

/// Computes lower bounds on makespan and transferred tiles for a product of r x s x t tiles (square
/// blocks), with nominal durations of tasks, plus Platform::task_overhead_s for each, and of
/// transfers without latencies. Requires at least one worker; without one it does not return.
///
/// makespan_s: V tasks of a memory node (main memory or a GPU) need a <= r t tiles of A, b <= t s
/// of B and c <= r s of C with V² <= abc (Loomis and Whitney, 1949). A GPU that receives one tile
/// in `in` seconds at best receives at most T / in tiles by time T, and V is largest if a, b and c
/// are as equal as the sizes of the matrices allow. The GPUs behind a bus that carries one tile in
/// `tile` seconds are bounded together in the same way; where both directions share its bandwidth,
/// the c tiles of C return through it, too, and they execute at most (T / (3 tile))^(3/2) / √2
/// tasks. The bound is Platform::start_up_s plus the smallest T by which the nodes together can
/// execute r s t tasks.
///
/// volume_tiles: each memory node computes a share x of C, which is its share of the speed of all
/// workers. Its part spans h <= r rows and w <= s columns with h w >= x r s, each with t tiles
/// of A or B, and its x r s tiles are moved twice (ICPP'18, section 3.1, for r = s = t). With a
/// memory of M tiles (Link::memory_tiles), V tasks move at least 2 V / √M - 2 M tiles (Smith et
/// al., 2019). The bound is the sum over the GPUs of the larger of the two.
Bounds compute_bounds(const Platform& platform, const ProductSize& size);

}  // namespace starport::tiles
