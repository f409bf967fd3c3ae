// A simulation in a process of its own, whose trace comes back.
#pragma once

#include "sim/tiles/trace.hpp"

#include <functional>

namespace starport::tiles {

using TakeTrace = std::function<void(const Trace&)>;

/// `simulate` gives its trace to what it gets. `time_limit_s` is of the wall clock; 0: none. Throws
/// SimulationError.
Trace run_isolated(const std::function<void(const TakeTrace&)>& simulate, const Work& work,
                   double time_limit_s);

}  // namespace starport::tiles
