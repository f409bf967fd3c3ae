// Tilings with which the search begins, made from the speeds of the workers.
#pragma once

#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstddef>
#include <vector>

namespace starport::polaris {

/// Creates initial tilings (divisions of C among workers) for the search and returns the `count`
/// best in ascending order of their estimated makespans; some may be equal, or have an infinite
/// estimate. Unless `several_strips`, each has one strip (all of C, divided along one side).
/// Returns fewer, or none, if few workers have the memory or C has few blocks for the number of
/// workers. `platform` and `problem` must be those of `estimator`, whose `lags_s` count and whose
/// `operations` grow.
std::vector<Tiling> make_initial_tilings(const Platform& platform, const Problem& problem,
                                         const Estimator& estimator, std::size_t count,
                                         bool several_strips);

}  // namespace starport::polaris
