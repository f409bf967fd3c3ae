// Plans of distributed products as rectangles of C, and their half-perimeters.
#pragma once

#include "sim/results/presentation.hpp"
#include "sim/spmd/distribution.hpp"

namespace starport::spmd {

/// Returns the rectangle of C of each worker of a product on a cluster.
Division division_of(const ProductPlan& plan);
/// Returns the parts of C of two processors. The square of the slower one is in the lower right
/// corner (HCW'06, Figure 3); its columns are the last ones.
Division division_of(const PairPlan& plan);

/// Returns the sum of the workers' half-perimeters divided by its lower bound, twice the sum of the
/// square roots of their areas (HCW'06, equations 2.1 and 2.2). The half-perimeter of a worker with
/// several rectangles is that of their bounding box.
double half_perimeter_ratio(const Division& division);

}  // namespace starport::spmd
