// What a heuristic is: it plans, from the platform and the problem alone.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"
#include "sim/star/problem.hpp"

namespace starport {

class Heuristic {
 public:
  virtual ~Heuristic() = default;

  /// Throws NotApplicable when the platform is not of the kind the heuristic is for. The platform
  /// and the problem must outlive the plan.
  virtual Plan plan(const Platform& platform, const Problem& problem) const = 0;

  /// How the heuristic uses the memory of its workers: at least one of them must have room for a
  /// side of 1, and the size of a chunk gives the number of transfers.
  virtual const MemoryLayout& layout() const = 0;
};

}  // namespace starport
