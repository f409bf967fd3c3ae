// Column-based partitioning (Beaumont, Boudet, Rastello and Robert, "Partitioning a Square into
// Rectangles", Algorithmica 34, 2002).
#pragma once

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/geometry.hpp"

#include <limits>
#include <vector>

namespace starport::partition {

/// Divides the unit square into columns of rectangles with the least cost of all such partitions.
/// The paper proves that an optimal one has its areas in ascending order. O(n log n). Throws
/// InputError if normalize_speeds() does.
Partition<2> column_based(const std::vector<double>& speeds);

/// Returns the columns of an optimal column-based partition, as consecutive ranges of the sorted
/// areas, among those with at most `max_per_column` areas per column.
std::vector<AreaRange> find_columns(
    const SortedAreas& areas, std::size_t max_per_column = std::numeric_limits<std::size_t>::max());

}  // namespace starport::partition
