// Two processors: a straight line, or a square in a corner (Becker and Lastovetsky, "Matrix
// Multiplication on Two Interconnected Processors", HCW'06, sections 3.1 to 3.3).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstdint>
#include <vector>

namespace starport::partition {

/// Both throw InputError unless there are two processors with a speed above 0.
Partition<2> straight_line(const std::vector<double>& speeds);  ///< cost 3
/// The slower one has a square in the corner, the faster one the rest: cost 2 + 2 √a2, less than 3
/// where one is more than 3 times as fast as the other.
Partition<2> square_corner(const std::vector<double>& speeds);

/// Side of the square for N x N matrices and speeds in a ratio ρ : 1: N / √(ρ + 1).
double corner_side(double N, double ratio);
/// Elements that both send each other: N² by the straight line, 2 N q by the square corner.
double straight_line_volume(double N);
double square_corner_volume(double N, double ratio);

/// Sums of half-perimeters over the bound 2 (√a1 + √a2), for random areas (section 3.3).
struct TwoProcessorRatios {
  std::int64_t kept = 0;  ///< draws whose ratio of areas was in range
  double mean_line = 0;
  double mean_corner = 0;
  double least_line = 0;
  double least_corner = 0;
};

/// a2 = min(u, v) / (u + v), a1 the rest, for u and v uniform in (0, 1), of which those with
/// 3 < a1 / a2 <= most_ratio count: the rule with which the paper's averages come out.
TwoProcessorRatios random_ratios(std::int64_t draws, std::uint64_t seed, double most_ratio);

}  // namespace starport::partition
