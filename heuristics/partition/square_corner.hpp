// Partitions for two processors: straight line and square corner (Becker and Lastovetsky, "Matrix
// Multiplication on Two Interconnected Processors", HCW'06, sections 3.1 to 3.3).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstdint>
#include <vector>

namespace starport::partition {

/// Divides the unit square by a straight line, at cost 3. Throws InputError unless exactly two
/// speeds are positive.
Partition<2> straight_line(const std::vector<double>& speeds);
/// Gives the slower processor a square of area a2 in the corner and the faster one the rest, at
/// cost 2 + 2 √a2. This is cheaper than the straight line if one processor is more than 3 times as
/// fast as the other. Throws InputError unless exactly two speeds are positive.
Partition<2> square_corner(const std::vector<double>& speeds);

/// Returns the side of the slower processor's square for N x N matrices and a ratio of speeds ρ :
/// 1, which is N / √(ρ + 1) elements.
double corner_side(double N, double ratio);
/// Returns the number of elements that the processors exchange with a straight line: N².
double straight_line_volume(double N);
/// Returns the number of elements that the processors exchange with a square corner: 2 N q, where q
/// is corner_side(N, ratio).
double square_corner_volume(double N, double ratio);

/// Statistics over random areas of the costs of both partitions, divided by the bound 2 (√a1 + √a2)
/// (section 3.3).
struct TwoProcessorRatios {
  std::int64_t draws = 0;  ///< number of draws whose ratio of areas was in range
  double mean_line = 0;
  double mean_corner = 0;
  double min_line = 0;
  double min_corner = 0;
};

/// Draws `draws` pairs of areas a2 = min(u, v) / (u + v) and a1 = 1 - a2 with u and v uniform in
/// (0, 1), and evaluates those with 3 < a1 / a2 <= max_ratio. With this rule the paper's averages
/// are reproduced.
TwoProcessorRatios draw_ratios(std::int64_t draws, std::uint64_t seed, double max_ratio);

}  // namespace starport::partition
