// OMMOML: Overlapped Min-Min, Optimized Memory Layout (PPoPP'08 section 6.2).
#pragma once

#include "heuristics/star/heuristic.hpp"

namespace starport {

/// Static: the next step goes to the worker that will finish it first, by the planning clock; few
/// workers are ever chosen, which is its resource selection. O(log p) per step.
class MinMin final : public Heuristic {
 public:
  Plan plan(const Platform& platform, const Problem& problem) const override;
  const MemoryLayout& layout() const override { return kOptimizedOverlapped; }
};

}  // namespace starport
