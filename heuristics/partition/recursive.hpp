// Recursive partitioning of the unit square and cube: RP, NRRP and NRRP in three dimensions.
//
// The rules of NRRP are our own, after Beaumont, Eyraud-Dubois and Lambert (IPDPS'16; 3D-NRRP,
// 2016), the partitions of ICPP'18, because the text of these papers was not available. Ratios to
// the bounds of cost_bound() are therefore measured, not proved. All functions throw InputError
// unless the speeds are finite, not negative, and at least one is positive. Instead of the unit
// square or cube they divide `whole`, a box of volume 1 (not checked), if it is given.
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <vector>

namespace starport::partition {

/// RP: divides the unit square into one rectangle per processor, with areas in proportion to the
/// speeds (a processor of speed 0 gets an empty zone), by recursive cuts across the longer side.
/// The largest areas of a box, the fewest that sum to at least a third of it, go to the part of
/// higher coordinates (Nagamochi and Abe, "An approximation algorithm for dissecting a rectangle
/// into rectangles with specified areas", Discrete Applied Mathematics 155, 2007). In the unit
/// square, the aspect ratio of a rectangle is at most max(3, 1 + max s_{i+1} / s_i), where s_i is
/// the i-th smallest positive speed. O(n log n) for n processors. If `whole` is given, a rectangle
/// of area 1 (not checked), it is divided instead. Throws InputError unless the speeds are finite,
/// not negative, and at least one is positive.
Partition<2> rp(const std::vector<double>& speeds, const Box<2>& whole = {});

/// NRRP-S: divides the unit square into zones of one or two rectangles, with areas in proportion to
/// the speeds (a processor of speed 0 gets an empty zone), by a simple rule, box by box. If all
/// areas but the largest sum to less than a quarter of the square of the shorter side, they get a
/// square in the corner, and the largest one the rest; at less than a third, a cut of the longer
/// side separates them from it; otherwise, the cut is the most balanced one. Measured cost (sum of
/// the sizes of the zones' projections): at most 1.15465 times cost_bound(); Beaumont,
/// Eyraud-Dubois and Lambert (IPDPS'16) prove 2/√3 = 1.154701 for their own rules. O(n log n) for n
/// processors. If `whole` is given, a rectangle of area 1 (not checked), it is divided instead.
/// Throws InputError unless the speeds are finite, not negative, and at least one is positive.
Partition<2> nrrp_s(const std::vector<double>& speeds, const Box<2>& whole = {});

/// Factor, a pure number, by which cuboids_g() and, by default, nrrp_g() multiply their estimate of
/// the cost (sum of the sizes of the zones' projections) of dividing a box among three or more
/// processors, when they compare ways to divide it.
inline constexpr double kPessimism = 1.03;

/// NRRP-G: divides the unit square into zones of one or two rectangles, with areas in proportion to
/// the speeds (a processor of speed 0 gets an empty zone). Divides box by box, each time in the way
/// of least estimated cost (sum of the sizes of the zones' projections) among all cuts of the
/// longer side and corner rectangles of four shapes. `pessimism` multiplies the estimates for boxes
/// of three or more areas; it must be positive and finite (not checked) and affects only the
/// choices. For n processors, O(n log² n) with balanced cuts, which all measured instances had;
/// O(n² log n) in the worst case. If `whole` is given, a rectangle of area 1 (not checked), it is
/// divided instead. Throws InputError unless the speeds are finite, not negative, and at least one
/// is positive.
Partition<2> nrrp_g(const std::vector<double>& speeds, const Box<2>& whole = {},
                    double pessimism = kPessimism);

/// Returns the partition of the unit square with the least cost (sum of the sizes of the zones'
/// projections) among those of NRRP-S, NRRP-G with pessimism (a factor on its estimates) 1, 1.03
/// and 1.06, RP and column-based partitioning, with areas in proportion to the speeds; the first in
/// this order on ties. Takes the time of all six. If `whole` is given, a rectangle of area 1 whose
/// sides begin at 0 (neither is checked), it is divided by the same rule instead of the unit
/// square. Throws InputError unless the speeds are finite, not negative, and at least one is
/// positive.
Partition<2> portfolio(const std::vector<double>& speeds, const Box<2>& whole = {});

/// NRRP3D-S: divides the unit cube into zones of up to three cuboids, with volumes in proportion to
/// the speeds (a processor of speed 0 gets an empty zone), by a simple rule, box by box: the most
/// balanced cut of the longest side or, if all volumes but the largest sum to less than a third of
/// a b² for the sides a <= b <= c of the box, they get the least costly of a part cut off the
/// longest side, a cube in the corner and a prism along a shortest edge. O(n log n) for n
/// processors. If `whole` is given, a cuboid of volume 1 (not checked), it is divided instead.
/// Throws InputError unless the speeds are finite, not negative, and at least one is positive.
Partition<3> cuboids_s(const std::vector<double>& speeds, const Box<3>& whole = {});

/// NRRP3D-G: divides the unit cube into zones of up to three cuboids, with volumes in proportion to
/// the speeds (a processor of speed 0 gets an empty zone). Divides box by box, each time in the way
/// of least estimated cost (sum of the sizes of the zones' projections) among all cuts of the
/// longest side, corner cuboids of three shapes and prisms of three shapes. Measured cost: at most
/// about 1.10 times cost_bound(); Beaumont, Eyraud-Dubois and Lambert (3D-NRRP, 2016) prove 5 /
/// 6^(2/3) = 1.51 for their own rules. For n processors, O(n log² n) with balanced cuts, O(n² log
/// n) in the worst case. If `whole` is given, a cuboid of volume 1 (not checked), it is divided
/// instead. Throws InputError unless the speeds are finite, not negative, and at least one is
/// positive.
Partition<3> cuboids_g(const std::vector<double>& speeds, const Box<3>& whole = {});

}  // namespace starport::partition
