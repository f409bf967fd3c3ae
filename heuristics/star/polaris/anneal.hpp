// Improvement of tilings by random changes, judged by estimates.
#pragma once

#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>
#include <vector>

namespace starport::polaris {

/// Improves the tiling `from` (division of C among workers) by random changes (threshold accepting,
/// Dueck and Scheuer 1990), with the same result on every machine, until `estimator.operations` has
/// grown by at least `operations`. Returns the tiling with the least cost that it found, `from` if
/// none is better or `operations` is 0 or less; the cost is the estimated makespan, lags (time that
/// workers take beyond their computations, Estimator::lags_s) included, plus 2 % of the total time
/// on the master's port. `idle` lists the workers (indices from 0) without a rectangle in `from`
/// that may be given one. Unless `several_strips`, accepts only changed tilings of one strip (whole
/// columns or rows of C). `from` must have a strip, and each strip a part (division by zero);
/// `problem` must be that of `estimator` (not checked). Advances `random`.
Tiling anneal(const Tiling& from, const std::vector<int>& idle, const Estimator& estimator,
              const Problem& problem, std::int64_t operations, bool several_strips,
              RandomGenerator& random);

}  // namespace starport::polaris
