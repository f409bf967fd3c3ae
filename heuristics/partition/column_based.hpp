// Column-based partitioning (Beaumont, Boudet, Rastello and Robert, "Partitioning a Square into
// Rectangles", Algorithmica 34, 2002).
#pragma once

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/geometry.hpp"

#include <limits>
#include <vector>

namespace starport::partition {

/// Divides `whole`, by default the unit square, into full-height columns, each cut across into
/// rectangles, with the least cost (sum of the half perimeters of the rectangles) of all such
/// partitions (Beaumont, Boudet, Rastello and Robert, Algorithmica 34, 2002). Processor i gets one
/// rectangle with an area in proportion to speeds[i], none if its speed is 0. The columns follow
/// one another along the axis x; areas ascend from left to right and, within a column, with y.
/// `whole` must have area 1 and sides that begin at 0 (not checked). O(n log n) for n processors.
/// Throws InputError unless the speeds are finite, not negative, and at least one is positive.
Partition<2> column_based(const std::vector<double>& speeds, const Box<2>& whole = {});

/// Returns the columns, from left to right, of a column-based partition of a rectangle that is
/// `height` times as high as wide, with the least cost (sum of the half perimeters of the
/// rectangles, one per area) among those with at most `max_per_column` areas per column. Each
/// column is a range of indices into `areas`; together they cover areas.all() in ascending order.
/// Of equal costs (but for rounding), the last column has as many areas as possible, then the one
/// before it, and so on. `max_per_column` must be at least 1 and `height` positive (not checked).
/// O(n log n) for n areas.
std::vector<AreaRange> find_columns(
    const SortedAreas& areas, std::size_t max_per_column = std::numeric_limits<std::size_t>::max(),
    double height = 1);

}  // namespace starport::partition
