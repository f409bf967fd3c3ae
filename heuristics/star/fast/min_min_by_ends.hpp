// OMMOML's order where workers are many.
#pragma once

#include "heuristics/star/planning.hpp"

namespace starport::fast {

/// As min_min_order, in O(log p) per step.
StepOrder min_min_by_ends(const std::vector<StepCosts>& costs, const Problem& problem);

}  // namespace starport::fast
