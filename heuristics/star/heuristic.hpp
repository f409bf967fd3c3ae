// What a heuristic is: it plans, from the platform and the problem alone.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"
#include "sim/study/model.hpp"

#include <string_view>

namespace starport {

class Heuristic : public Algorithm {
 public:
  std::string_view model() const override { return "star"; }

  /// Throws NotApplicable when the platform is not of the kind the heuristic is for. The platform
  /// and the problem must outlive the plan.
  virtual Plan plan(const Platform& platform, const Problem& problem) const = 0;

  /// How the heuristic uses the memory of its workers: at least one of them must have room for a
  /// side of 1, and the size of a chunk gives the number of transfers.
  virtual const MemoryLayout& layout() const = 0;
};

}  // namespace starport
