// Running a simulation of tile tasks in a child process, which sends its trace back.
#pragma once

#include "sim/tiles/trace.hpp"

#include <functional>

namespace starport::tiles {

/// Receives the complete trace of a simulation.
using TraceCallback = std::function<void(const Trace&)>;

/// Runs `simulate` in a child process and returns the trace that it passes to its callback. Throws
/// SimulationError if the child fails, crashes, exceeds `time_limit_s` seconds of wall time (0: no
/// limit), or ends before all tasks of `graph` have run; NotApplicable and MachineError pass
/// through.
Trace run_isolated(const std::function<void(const TraceCallback&)>& simulate,
                   const TaskGraph& graph, double time_limit_s);

}  // namespace starport::tiles
