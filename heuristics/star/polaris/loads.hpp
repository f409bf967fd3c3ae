// First tilings: who is enrolled, with how much, and where.
#pragma once

#include "heuristics/star/polaris/estimate.hpp"

#include <vector>

namespace starport::polaris {

/// Tilings to start from, the most promising (by the estimate) first, at most `count`.
std::vector<Tiling> first_tilings(const Platform& platform, const Problem& problem,
                                  const Estimator& estimator, std::size_t count,
                                  bool several_strips);

}  // namespace starport::polaris
