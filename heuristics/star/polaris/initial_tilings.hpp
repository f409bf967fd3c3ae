// Tilings with which the search begins, made from the speeds of the workers.
#pragma once

#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstddef>
#include <vector>

namespace starport::polaris {

/// Creates up to `count` initial tilings (divisions of C among workers) for the search, in
/// ascending order of their estimated makespans, of up to max(2, `count`) different sets of
/// workers; some may be equal, or have an infinite estimate. Unless `several_strips`, each has one
/// strip. Returns fewer, or none, if too few workers have the memory. `platform` and `problem` must
/// be those of `estimator`, whose `lags_s` count and whose `operations` grow.
std::vector<Tiling> make_initial_tilings(const Platform& platform, const Problem& problem,
                                         const Estimator& estimator, std::size_t count,
                                         bool several_strips);

}  // namespace starport::polaris
