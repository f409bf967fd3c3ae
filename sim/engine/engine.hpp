// Anything that can run a schedule and date it.
#pragma once

#include "sim/model/dispatcher.hpp"
#include "sim/model/trace.hpp"

#include <string>

namespace starport {

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;

  /// Runs what the dispatcher emits on the platform, to its end. Throws SimulationError when it
  /// does not get there.
  virtual Trace simulate(const Platform& platform, const Problem& problem,
                         Dispatcher& dispatcher) const = 0;
};

}  // namespace starport
