// Anything that can run a schedule and date it.
#pragma once

#include "sim/model/dispatcher.hpp"
#include "sim/model/trace.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// What came out of a run.
struct Run {
  Trace trace;
  double decision_s = 0;                                     ///< wall-clock time of planning
  std::vector<std::pair<std::string, std::string>> details;  ///< those of the plan
};

/// Makes the plan that is to be run.
using Planner = std::function<Plan()>;

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;

  /// Plans, then runs what the plan's dispatcher emits on the platform, to its end. Throws
  /// SimulationError when it does not get there, NotApplicable when the planner does.
  virtual Run run(const Platform& platform, const Problem& problem,
                  const Planner& planner) const = 0;
};

}  // namespace starport
