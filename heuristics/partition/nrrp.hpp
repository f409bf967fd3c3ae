// Recursive partitioning into zones of one or two rectangles, after Beaumont, Eyraud-Dubois and
// Lambert's NRRP (IPDPS'16), the 2D partition of ICPP'18. The rules are ours: the paper's body was
// not at hand. Ratios to the bound 2 Σ √s_i are measured, not proved.
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <vector>

namespace starport::partition {

/// The simple rule: cut the long side where both parts come closest, or put all but the largest
/// into a square in the corner. At most 1.15465 times the bound in all that was measured, where the
/// paper proves 2/√3 = 1.154701 for its own rules. O(n log n).
Partition<2> nrrp_s(const std::vector<double>& speeds);

/// What NRRP-G multiplies its estimate of three areas or more by.
inline constexpr double kPessimism = 1.03;

/// The greedy rule: of all cuts of the long side, and of corners of four shapes, that of least
/// estimated cost. O(m log m) for a group of m areas: O(n log² n) where the cuts are balanced, as
/// they are in all that was measured, O(n² log n) were they not.
Partition<2> nrrp_g(const std::vector<double>& speeds, double pessimism = kPessimism);

/// The cheapest of NRRP-S, NRRP-G with pessimism 1, 1.03 and 1.06, RP and column-based: the first
/// of these on ties.
Partition<2> portfolio(const std::vector<double>& speeds);

}  // namespace starport::partition
