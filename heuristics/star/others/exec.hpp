// Heuristics that are programs, in any language: they speak JSON lines on standard input and output
// (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/star/registry.hpp"

#include <vector>

namespace starport {

/// The entry that stands for all of them: exec:PROGRAM.
const std::vector<HeuristicEntry>& exec_registry();

}  // namespace starport
