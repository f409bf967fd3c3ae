// Heuristics that run as external programs and exchange JSON lines with Starport
// (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/star/registry.hpp"

#include <vector>

namespace starport {

/// Returns a registry with a single entry, exec:PROGRAM, which stands for every heuristic that runs
/// as an external program (searched in PATH). Valid until the process ends. Each plan starts the
/// program, which is killed when the plan is destroyed. Planning, and each decision in a run,
/// throws SimulationError if the program cannot be run, ends or answers malformed JSON, and
/// MachineError if it is killed or answers later than the parameter time_limit (wall-clock seconds,
/// 60 unless given). Planning throws NotApplicable if the program declines the instance.
const std::vector<HeuristicEntry>& exec_registry();

}  // namespace starport
