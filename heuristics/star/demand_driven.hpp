// The demand-driven heuristics: ODDOML (PPoPP'08 section 6.2), DDOML, BMM and OBMM (IPDPS'07
// section 5). They differ by the memory layout only.
#pragma once

#include "heuristics/star/heuristic.hpp"

namespace starport {

/// Each worker has one request outstanding, for its next transfer, posted at the earliest date at
/// which it could receive it; the free master serves the earliest request, then the smallest
/// index. A panel is taken when the request for its first chunk is posted. O(log p) per transfer:
/// only the request of the worker just served changes.
///
/// What a worker that stops leaves of its panel, the rows below the chunks that are home, is cut
/// into panels again, which are taken before fresh columns.
class DemandDriven final : public Heuristic {
 public:
  explicit DemandDriven(const MemoryLayout& layout) : layout_(layout) {}

  Plan plan(const Platform& platform, const Problem& problem) const override;
  const MemoryLayout& layout() const override { return layout_; }

 private:
  const MemoryLayout& layout_;
};

}  // namespace starport
