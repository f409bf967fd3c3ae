#include "heuristics/partition/square_corner.hpp"

#include "heuristics/partition/recursion.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::partition {
namespace {

/// Returns the areas of two processors. Throws InputError unless exactly two speeds are positive.
SortedAreas sort_two_areas(const std::vector<double>& speeds) {
  SortedAreas areas(speeds);
  if (areas.size() != 2) {
    throw InputError("speeds", "two positive speeds", fmt::format("{}", areas.size()));
  }
  return areas;
}

}  // namespace

Partition<2> straight_line(const std::vector<double>& speeds, const Box<2>& whole) {
  const SortedAreas areas = sort_two_areas(speeds);
  RecursivePartitioner<2> partitioner(areas, whole);
  return partitioner.partition([&](const Node<2>& node) { partitioner.cut(node, 1); });
}

Partition<2> square_corner(const std::vector<double>& speeds, const Box<2>& whole) {
  const SortedAreas areas = sort_two_areas(speeds);
  RecursivePartitioner<2> partitioner(areas, whole);
  const double side = std::sqrt(areas[0]);
  if (!is_less(side, std::min(whole.length(0), whole.length(1)))) {
    return straight_line(speeds, whole);
  }
  return partitioner.partition([&](const Node<2>& node) {
    partitioner.place_in_corner(node, {side, side});
  });
}

TwoProcessorRatios draw_ratios(std::int64_t draws, std::uint64_t seed, double max_ratio) {
  Random random(seed);
  TwoProcessorRatios ratios;
  ratios.min_line = ratios.min_corner = std::numeric_limits<double>::infinity();
  for (std::int64_t draw = 0; draw < draws; ++draw) {
    const double u = random.real(0, 1);
    const double v = random.real(0, 1);
    if (u == 0 || v == 0) continue;
    const double a2 = std::min(u, v) / (u + v);
    const double a1 = std::max(u, v) / (u + v);
    if (a1 <= 3 * a2 || a1 > max_ratio * a2) continue;
    const double bound = 2 * (std::sqrt(a1) + std::sqrt(a2));
    const double line = 3 / bound;
    const double corner = (2 + 2 * std::sqrt(a2)) / bound;
    ++ratios.draws;
    ratios.mean_line += line;
    ratios.mean_corner += corner;
    ratios.min_line = std::min(ratios.min_line, line);
    ratios.min_corner = std::min(ratios.min_corner, corner);
  }
  ratios.mean_line /= static_cast<double>(ratios.draws);
  ratios.mean_corner /= static_cast<double>(ratios.draws);
  return ratios;
}

}  // namespace starport::partition
