// Running a simulation of tile tasks in a child process, which sends its trace back.
#pragma once

#include "sim/tiles/trace.hpp"

#include <functional>

namespace starport::tiles {

/// Function that receives the complete trace of a simulation. The reference is valid during the
/// call.
using TraceCallback = std::function<void(const Trace&)>;

/// Runs `simulate` in a forked child process and returns the trace that it passes to its callback,
/// which it should call once; other effects of `simulate` on memory are lost. Blocks until the
/// child ends or `time_limit_s` seconds of wall-clock time have passed (0: no limit). Throws
/// SimulationError if `simulate` throws it, the child crashes, or the trace does not contain all
/// tasks of `graph`; MachineError if the child exceeds the limit, is killed or cannot be started;
/// and NotApplicable if `simulate` does.
Trace run_isolated(const std::function<void(const TraceCallback&)>& simulate,
                   const TaskGraph& graph, double time_limit_s);

}  // namespace starport::tiles
