// Recursive partitioning into rectangles (Nagamochi and Abe, "An approximation algorithm for
// dissecting a rectangle into rectangles with specified areas", Discrete Applied Mathematics 155,
// 2007).
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <vector>

namespace starport::partition {

/// Of the areas in ascending order the largest ones go to one side of a cut across the long side as
/// soon as they come to a third of the whole. As remembered: the rule has the theorem that the
/// paper proves, an aspect ratio of at most max(3, 1 + max s_{i+1} / s_i), from which its factor
/// of 1.25 on the cost follows where the areas differ little. O(n log n).
Partition<2> rp(const std::vector<double>& speeds);

}  // namespace starport::partition
