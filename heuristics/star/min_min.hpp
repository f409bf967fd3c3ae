// OMMOML: Overlapped Min-Min, Optimized Memory Layout (PPoPP'08 section 6.2).
#pragma once

#include "heuristics/star/planning.hpp"

namespace starport {

/// The next step goes to the worker of smallest finish_i, then of smallest index. A worker between
/// two panels is a candidate only while planned columns < s.
StepOrder min_min_order(const std::vector<StepCosts>& costs, const Problem& problem);

/// Static: the next step goes to the worker that will finish it first, by the planning clock; few
/// workers are ever chosen, which is its resource selection.
Plan plan_min_min(const Platform& platform, const Problem& problem);

}  // namespace starport
