// Heuristics that run as external programs and exchange JSON lines with Starport
// (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/star/registry.hpp"

#include <vector>

namespace starport {

/// Returns the registry entry `exec:PROGRAM`, which stands for every external program. Each plan
/// starts the program; a crash, a wrong answer or one later than the time limit throws
/// SimulationError.
const std::vector<HeuristicEntry>& exec_registry();

}  // namespace starport
