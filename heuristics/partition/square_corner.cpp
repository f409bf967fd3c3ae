#include "heuristics/partition/square_corner.hpp"

#include "heuristics/partition/recursion.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

}  // namespace starport::partition
