// Balancing of the computations of a tiling by small shifts.
#pragma once

#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/problem.hpp"

namespace starport::polaris {

/// Shifts block rows between the workers of each strip of a tiling, and block columns between its
/// strips (or columns and rows, with `of_rows`), one at a time, away from the worker that ends last
/// by the estimate, as long as it then ends sooner. Does nothing if the tiling takes time on the
/// port, which such shifts may lengthen, or if a worker lacks the memory for its rectangle: so it
/// serves for a multi-port master without limits. `tiling` must have a strip, and each strip a part
/// (not checked: undefined behaviour). `problem` must be that of `estimator`, whose `lags_s` count
/// and whose `operations` grow.
void balance(Tiling& tiling, const Estimator& estimator, const Problem& problem);

}  // namespace starport::polaris
