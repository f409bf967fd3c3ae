// Columns of rectangles (Beaumont, Boudet, Rastello and Robert, "Partitioning a Square into
// Rectangles", Algorithmica 34, 2002), the best there are when the areas are taken in ascending
// order.
#pragma once

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/geometry.hpp"

#include <limits>
#include <vector>

namespace starport::partition {

/// The least cost of all partitions into columns, which the paper proves to have their areas in
/// ascending order. O(n log n).
Partition<2> column_based(const std::vector<double>& speeds);

/// The columns, as groups of the sorted areas, with at most so many areas each.
std::vector<Group> columns_of(
    const SortedAreas& areas,
    std::size_t most_per_column = std::numeric_limits<std::size_t>::max());

}  // namespace starport::partition
