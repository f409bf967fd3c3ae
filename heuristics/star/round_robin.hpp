// ORROML: Overlapped Round-Robin, Optimized Memory Layout (PPoPP'08 section 6.2).
#pragma once

#include "sim/star/dispatcher.hpp"

namespace starport {

/// Makes a plan that serves all workers with memory for a chunk in turn, without selecting any:
/// each visit carries out the next transfer of the worker's own sequence, and the port waits until
/// the worker can take part. A finished worker is skipped, and removed after the round. The
/// platform and the problem must outlive the plan. O(1) amortised per transfer.
Plan plan_round_robin(const Platform& platform, const Problem& problem);

}  // namespace starport
