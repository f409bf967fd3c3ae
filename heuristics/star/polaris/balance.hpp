// Balancing of the computations of a tiling by small shifts.
#pragma once

#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/problem.hpp"

namespace starport::polaris {

/// Shifts block rows between the workers of each strip of a tiling, and block columns between its
/// strips (columns and rows if Tiling::of_rows), one at a time, away from the worker that ends last
/// by the estimate, lags (Estimator::lags_s) included, as long as it then ends sooner. Does nothing
/// if the tiling takes time on the master's port, as it does unless that is a multi-port without
/// limits, or if a worker lacks the memory for its rectangle. `tiling` must have a strip, and each
/// strip a part (not checked: undefined behaviour). `problem` must be that of `estimator` (not
/// checked), whose `operations` grow.
void balance(Tiling& tiling, const Estimator& estimator, const Problem& problem);

}  // namespace starport::polaris
