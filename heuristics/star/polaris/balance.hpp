// Balancing of the computations of a tiling by small shifts.
#pragma once

#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/problem.hpp"

namespace starport::polaris {

/// Shifts block rows between the workers of each strip (whole columns of C) of a tiling, and block
/// columns between its strips (columns and rows if Tiling::of_rows), one at a time: from the worker
/// or strip that ends last to the one that would then end first, as long as that still ends sooner
/// than the former did. Ends are estimates and include lags (seconds that a worker takes beyond its
/// computations, Estimator::lags_s). Does nothing if the tiling takes time on the master's port, as
/// it does unless that is a multi-port without limits, or if a worker lacks the memory for its
/// rectangle. `tiling` must have a strip, and each strip a part (not checked: undefined behaviour).
/// `problem` must be that of `estimator` (not checked), whose `operations` grow.
void balance(Tiling& tiling, const Estimator& estimator, const Problem& problem);

}  // namespace starport::polaris
