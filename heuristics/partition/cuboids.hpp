// The same in three dimensions: the n³ products of a matrix product as a cube, after Beaumont,
// Eyraud-Dubois and Lambert's 3D-NRRP (2016), the 3D partition of ICPP'18. The rules are ours: the
// paper's body was not at hand. A zone has at most three cuboids; the bound is 3 Σ v_i^(2/3).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <vector>

namespace starport::partition {

/// The simple rule, as NRRP-S: the most balanced cut of the longest side; where one volume is too
/// large for that, a cut, a cube in the corner or a prism at an edge, whichever adds least. O(n log
/// n).
Partition<3> cuboids_s(const std::vector<double>& speeds);

/// The greedy rule, as NRRP-G: of all cuts, corners of three shapes and prisms of three, that of
/// least estimated cost. At most 1.10 times the bound in what was measured, where the paper proves
/// 5 / 6^(2/3) = 1.51 for its own rules. O(n log² n) where the cuts are balanced.
Partition<3> cuboids_g(const std::vector<double>& speeds);

}  // namespace starport::partition
