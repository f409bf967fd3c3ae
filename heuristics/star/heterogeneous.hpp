// Het: the heterogeneous algorithm with incremental resource selection (PPoPP'08 section 5).
#pragma once

#include "heuristics/star/heuristic.hpp"
#include "heuristics/star/selection.hpp"

#include <utility>
#include <vector>

namespace starport {

/// Plans an order with each of the eight selections, simulates each by the exact recurrence and
/// runs the best. See selection.hpp for the cost.
class Heterogeneous final : public Heuristic {
 public:
  /// Tries these selections, at least one, in their order.
  explicit Heterogeneous(std::vector<Selection> selections) : selections_(std::move(selections)) {}

  Plan plan(const Platform& platform, const Problem& problem) const override;
  const MemoryLayout& layout() const override { return kOptimizedOverlapped; }

 private:
  std::vector<Selection> selections_;
};

}  // namespace starport
