// Partitions for two processors: straight line and square corner (Becker and Lastovetsky, "Matrix
// Multiplication on Two Interconnected Processors", HCW'06, sections 3.1 to 3.3).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <vector>

namespace starport::partition {

/// Divides the unit square by a straight line (x constant) into two rectangles, with areas in
/// proportion to the two positive speeds, at cost (sum of the half perimeters of both) 3. The
/// slower processor (of equal ones the first) gets the part of lower x. Another rectangle of area 1
/// (not checked), `whole`, is divided across its longer side. Zones are in the order of `speeds`,
/// empty for a speed of 0. Throws InputError unless exactly two speeds are positive and all others
/// are 0.
Partition<2> straight_line(const std::vector<double>& speeds, const Box<2>& whole = {});
/// Divides the unit square between two processors: the slower one (of equal ones the first) gets a
/// square of area a2, its speed over the sum of both, in the corner (0, 0), the faster one the
/// rest, as two rectangles. Zones are in the order of `speeds`, empty for a speed of 0. The cost
/// (sum of the sizes of the projections) is 2 + 2 √a2, less than the 3 of a straight line if one
/// processor is more than 3 times as fast as the other. If `whole` is given, a rectangle of area 1
/// (not checked), it is divided instead: with the square in its corner of least coordinates or, if
/// it is too narrow for that, by straight_line(). Throws InputError unless exactly two speeds are
/// positive and all others are 0.
Partition<2> square_corner(const std::vector<double>& speeds, const Box<2>& whole = {});

}  // namespace starport::partition
