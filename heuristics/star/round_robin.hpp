// ORROML: Overlapped Round-Robin, Optimized Memory Layout (PPoPP'08 section 6.2).
#pragma once

#include "sim/star/dispatcher.hpp"

namespace starport {

/// Serves all usable workers in turn, with no selection: each visit sends the worker the next
/// transfer of its own sequence, and the port is held until it can take it. A worker whose
/// sequence is over is skipped, and forgotten after the round. O(1) amortised per transfer.
Plan plan_round_robin(const Platform& platform, const Problem& problem);

}  // namespace starport
