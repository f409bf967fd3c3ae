// Column-based partitioning (Beaumont, Boudet, Rastello and Robert, "Partitioning a Square into
// Rectangles", Algorithmica 34, 2002).
#pragma once

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/geometry.hpp"

#include <limits>
#include <vector>

namespace starport::partition {

/// Divides the unit square into full-height columns, each cut into rectangles across, with the
/// least cost (sum of the half perimeters of the rectangles) of all such partitions. Processor i
/// gets one rectangle with an area in proportion to speeds[i], none if its speed is 0. The columns
/// follow one another along the axis x; areas ascend from left to right and, within a column, with
/// y, which the paper proves to be optimal. Divides `whole`, a rectangle of area 1 whose sides
/// begin at 0 (neither is checked), if it is given, into columns of its height by the same rule.
/// O(n log n) for n processors. Throws InputError unless the speeds are finite, not negative, and
/// at least one is positive.
Partition<2> column_based(const std::vector<double>& speeds, const Box<2>& whole = {});

/// Returns the columns, from left to right, of a column-based partition of the unit square with the
/// least cost (sum of the half perimeters of the rectangles) among those with at most
/// `max_per_column` areas (rectangles, one per processor) per column; or of a rectangle that is
/// `height` times as high as wide. Each column is a range of indices, from 0, of areas in ascending
/// order; together they cover areas.all(). Of equal costs (but for rounding), the last column has
/// as many areas as possible, then the one before it, and so on. `max_per_column` must be at least
/// 1 and `height` positive (not checked). O(n log n) for n areas.
std::vector<AreaRange> find_columns(
    const SortedAreas& areas, std::size_t max_per_column = std::numeric_limits<std::size_t>::max(),
    double height = 1);

}  // namespace starport::partition
