// Column-based partitioning (Beaumont, Boudet, Rastello and Robert, "Partitioning a Square into
// Rectangles", Algorithmica 34, 2002).
#pragma once

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/geometry.hpp"

#include <limits>
#include <vector>

namespace starport::partition {

/// Divides the unit square into columns of rectangles with the least cost (sum of half perimeters)
/// of all such partitions, one rectangle per processor with an area in proportion to its speed. The
/// paper proves that an optimal one has its areas in ascending order. O(n log n). Throws InputError
/// unless the speeds are finite, not negative, and at least one is positive.
Partition<2> column_based(const std::vector<double>& speeds);

/// Returns the columns from left to right, as consecutive ranges of the sorted areas, of a
/// column-based partition of least cost among those with at most `max_per_column` areas per column
/// (at least 1). O(n log n).
std::vector<AreaRange> find_columns(
    const SortedAreas& areas, std::size_t max_per_column = std::numeric_limits<std::size_t>::max());

}  // namespace starport::partition
