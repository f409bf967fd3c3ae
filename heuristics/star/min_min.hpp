// OMMOML: Overlapped Min-Min, Optimized Memory Layout (PPoPP'08, section 6.2).
#pragma once

#include "heuristics/star/planning.hpp"

#include <vector>

namespace starport {

/// Parameters of OMMOML.
struct MinMinParameters {
  /// True to count the transfer of C as well: a worker between chunks is sent C once its last
  /// update is complete, then A and B, so the first step of a chunk ends at max(T, ready_i) +
  /// mu_i^2 c_i + 2 mu_i c_i. On identical workers, one that has just finished a chunk then comes
  /// after one that has none, so that two take turns (IPDPS'07, section 5, reports two; its min-min
  /// goes by the date at which a worker will be available).
  bool counts_c = false;
};

/// Returns the order of steps of OMMOML: the next step goes to the worker that would finish it
/// first, by the planning clock, then to the smallest index. A worker between two panels is a
/// candidate only while planned columns < s. O(p) per step.
StepOrder min_min_order(const std::vector<StepCosts>& costs, const Problem& problem,
                        const MinMinParameters& parameters = {});

/// Plans min_min_order() and runs it: the definition of OMMOML. Few workers are ever chosen, which
/// is its resource selection. The platform and the problem must outlive the plan.
/// fast::plan_min_min_batch() makes the same plans.
Plan plan_min_min(const MinMinParameters& parameters, const Platform& platform,
                  const Problem& problem);

}  // namespace starport
