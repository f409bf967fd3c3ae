// Changing a tiling, judged by its estimate.
#pragma once

#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/moves.hpp"

#include <cstdint>
#include <vector>

namespace starport::polaris {

/// Threshold accepting (Dueck and Scheuer 1990; no exponential, so the same everywhere) for so many
/// of the estimator's operations; returns the best tiling met. Those in `idle` may be enrolled.
Tiling anneal(const Tiling& from, const std::vector<int>& idle, const Estimator& estimator,
              const Problem& problem, std::int64_t operations, bool several_strips, Draws& draws);

}  // namespace starport::polaris
