// Plans of distributed products as rectangles of C, and how near to square these are.
#pragma once

#include "sim/results/presentation.hpp"
#include "sim/spmd/distribution.hpp"

namespace starport::spmd {

Division division_of(const ProductPlan& plan);
/// P2's square is in the lower right corner (HCW'06, Figure 3), its columns are the last.
Division division_of(const PairPlan& plan);

/// The sum of the half-perimeters over 2 times that of the areas' roots (HCW'06, equations 2.1 and
/// 2.2). A worker counts with its projections on both axes: of an L they are the sides of what
/// encloses it.
double half_perimeter_ratio(const Division& division);

}  // namespace starport::spmd
