// Plans of distributed products as rectangles of C, and their half-perimeters.
#pragma once

#include "sim/results/presentation.hpp"
#include "sim/spmd/distribution.hpp"

namespace starport::spmd {

/// Returns the partition of C in a plan of a product on a cluster, for drawings: one rectangle per
/// worker, in the order of the workers; empty ones (of width or height 0) are included.
Division division_of(const ProductPlan& plan);
/// Returns the partition of C in a plan for two processors, for drawings. The slower processor gets
/// a square in the lower right corner (HCW'06, Figure 3), the last columns, or nothing, as the
/// shape of the plan says; the faster one gets the rest as one or two rectangles.
Division division_of(const PairPlan& plan);

/// Returns how much longer the borders of the workers' parts are than necessary: the sum of their
/// half-perimeters (width + height) divided by its lower bound, twice the sum of the square roots
/// of their areas (HCW'06, equations 2.1 and 2.2). At least 1. The half-perimeter of a worker with
/// several rectangles is that of their bounding box. NaN for a division without parts.
double half_perimeter_ratio(const Division& division);

}  // namespace starport::spmd
