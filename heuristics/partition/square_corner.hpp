// Partitions for two processors: straight line and square corner (Becker and Lastovetsky, "Matrix
// Multiplication on Two Interconnected Processors", HCW'06, sections 3.1 to 3.3).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstdint>
#include <vector>

namespace starport::partition {

/// Divides the unit square by a straight line into two rectangles, with areas in proportion to the
/// speeds, at cost (sum of half perimeters) 3. Throws InputError unless exactly two speeds are
/// positive and the others 0.
Partition<2> straight_line(const std::vector<double>& speeds);
/// Gives the slower of two processors a square of area a2, its share of the speeds, in the corner
/// of the unit square and the faster one the rest, at cost (sizes of projections) 2 + 2 √a2. This
/// is cheaper than a straight line if one processor is more than 3 times as fast as the other.
/// Throws InputError unless exactly two speeds are positive and the others 0.
Partition<2> square_corner(const std::vector<double>& speeds);

/// Returns the side, in elements and not rounded, of the slower processor's square for N x N
/// matrices, if the faster processor is `ratio` times as fast: N / √(ratio + 1).
double corner_side(double N, double ratio);
/// Returns the number of elements that two processors exchange for N x N matrices with a straight
/// line between their parts: N².
double straight_line_volume(double N);
/// Returns the number of elements that two processors exchange for N x N matrices if the slower one
/// has a square in the corner and the faster one is `ratio` times as fast: 2 N q, where q is
/// corner_side(N, ratio).
double square_corner_volume(double N, double ratio);

/// Statistics over random areas a1 > a2 of two processors: costs of the straight-line and of the
/// square-corner partition, divided by the bound 2 (√a1 + √a2) (HCW'06, section 3.3).
struct TwoProcessorRatios {
  /// Number of draws whose ratio of areas was in range and which the statistics cover.
  std::int64_t draws = 0;
  /// Mean ratio of the straight line; NaN if no draw was in range.
  double mean_line = 0;
  /// Mean ratio of the square corner; NaN if no draw was in range.
  double mean_corner = 0;
  /// Smallest ratio of the straight line; infinity if no draw was in range.
  double min_line = 0;
  /// Smallest ratio of the square corner; infinity if no draw was in range.
  double min_corner = 0;
};

/// Draws `draws` pairs of areas a2 = min(u, v) / (u + v) and a1 = 1 - a2 with u and v uniform in
/// (0, 1), and returns statistics over those with 3 < a1 / a2 <= max_ratio. Means are NaN if there
/// are none. The same seed gives the same result. With this rule the averages of HCW'06 are
/// reproduced.
TwoProcessorRatios draw_ratios(std::int64_t draws, std::uint64_t seed, double max_ratio);

}  // namespace starport::partition
