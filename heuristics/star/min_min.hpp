// OMMOML: Overlapped Min-Min, Optimized Memory Layout (PPoPP'08 section 6.2).
#pragma once

#include "heuristics/star/planning.hpp"

namespace starport {

/// The next step goes to the worker of smallest finish_i, then of smallest index. A worker between
/// two panels is a candidate only while planned columns < s.
StepOrder min_min_order(const std::vector<StepCosts>& costs, const Problem& problem);
/// The same where a worker between chunks is sent C once its last update is over, then A and B:
/// the first step of a chunk ends at max(T, ready_i) + mu_i^2 c_i + 2 mu_i c_i. On equal workers
/// one that has just finished a chunk comes after one that has none: two take turns (IPDPS'07,
/// section 5, saw two; its min-min is by the date at which a worker will be available).
StepOrder min_min_order_with_c(const std::vector<StepCosts>& costs, const Problem& problem);

/// Static: the next step goes to the worker that will finish it first, by the planning clock; few
/// workers are ever chosen, which is its resource selection.
struct MinMinParameters {
  bool count_c = false;
};
Plan plan_min_min(const MinMinParameters& parameters, const Platform& platform,
                  const Problem& problem);

}  // namespace starport
