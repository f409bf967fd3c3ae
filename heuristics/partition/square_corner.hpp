// Partitions for two processors: straight line and square corner (Becker and Lastovetsky, "Matrix
// Multiplication on Two Interconnected Processors", HCW'06, sections 3.1 to 3.3).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstdint>
#include <vector>

namespace starport::partition {

/// Divides the unit square by a straight line (x constant) into two rectangles, with areas in
/// proportion to the two positive speeds, at cost (sum of the half perimeters of both) 3. The
/// slower processor (of equal ones the first) gets the part of lower x. Another rectangle of area 1
/// (not checked), `whole`, is divided across its longer side. Zones are in the order of `speeds`,
/// empty for a speed of 0. Throws InputError unless exactly two speeds are positive and all others
/// are 0.
Partition<2> straight_line(const std::vector<double>& speeds, const Box<2>& whole = {});
/// Divides the unit square between two processors: the slower one (of equal ones the first) gets a
/// square of area a2, its speed over the sum of both, in the corner (0, 0), the faster one the
/// rest, as two rectangles. Zones are in the order of `speeds`, empty for a speed of 0. The cost
/// (sum of the sizes of the projections) is 2 + 2 √a2, less than the 3 of a straight line if one
/// processor is more than 3 times as fast as the other. If `whole` is given, a rectangle of area 1
/// (not checked), it is divided instead: with the square in its corner of least coordinates or, if
/// it is too narrow for that, by straight_line(). Throws InputError unless exactly two speeds are
/// positive and all others are 0.
Partition<2> square_corner(const std::vector<double>& speeds, const Box<2>& whole = {});

/// Result of draw_ratios(): statistics over random areas a1 > a2 (fractions of the unit square, a1
/// + a2 = 1) of two processors. A ratio is the cost of the straight-line or square-corner partition
/// divided by the bound 2 (√a1 + √a2); it is 1 or more (HCW'06, section 3.3).
struct TwoProcessorRatios {
  /// Number of random pairs of areas a1 > a2 of two processors that the statistics cover: those
  /// drawn with 3 < a1 / a2 <= max_ratio.
  std::int64_t draws = 0;
  /// Mean of the ratio of the cost of the straight-line partition, which is 3, to the lower bound 2
  /// (√a1 + √a2), over the random pairs of areas a1 and a2 = 1 - a1 that count: those with 3 < a1 /
  /// a2 <= max_ratio. NaN if there are none (`draws` is 0).
  double mean_line = 0;
  /// Mean of the ratio of the cost of the square-corner partition, which is 2 + 2 √a2, to the lower
  /// bound 2 (√a1 + √a2), over the random pairs of areas a1 and a2 = 1 - a1 that count: those with
  /// 3 < a1 / a2 <= max_ratio. NaN if there are none (`draws` is 0).
  double mean_corner = 0;
  /// Smallest ratio of the cost of the straight-line partition, which is 3, to the lower bound 2
  /// (√a1 + √a2), over the random pairs of areas a1 and a2 = 1 - a1 that count: those with 3 < a1 /
  /// a2 <= max_ratio. Infinity if there are none (`draws` is 0).
  double min_line = 0;
  /// Smallest ratio of the cost of the square-corner partition, which is 2 + 2 √a2, to the lower
  /// bound 2 (√a1 + √a2), over the random pairs of areas a1 and a2 = 1 - a1 that count: those with
  /// 3 < a1 / a2 <= max_ratio. Infinity if there are none (`draws` is 0).
  double min_corner = 0;
};

/// Draws `draws` pairs of areas a2 = min(u, v) / (u + v) and a1 = 1 - a2 with u and v uniform in
/// (0, 1), and returns, over those with 3 < a1 / a2 <= max_ratio, the means and minima of the costs
/// of the straight-line and square-corner partitions, each divided by the lower bound 2 (√a1 +
/// √a2). If there are none, e.g. as draws <= 0 or max_ratio <= 3, the means are NaN and the minima
/// infinity. `max_ratio` may be infinite. The same seed gives the same result. Takes time in
/// proportion to `draws`. With this rule the averages of HCW'06 are reproduced.
TwoProcessorRatios draw_ratios(std::int64_t draws, std::uint64_t seed, double max_ratio);

}  // namespace starport::partition
