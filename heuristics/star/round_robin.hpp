// ORROML: Overlapped Round-Robin, Optimized Memory Layout (PPoPP'08 section 6.2).
#pragma once

#include "sim/star/dispatcher.hpp"

namespace starport {

/// Makes the plan of ORROML (round robin): serves all workers that have memory for a chunk of C in
/// turn, by ascending index. Each visit carries out the worker's next transfer (chunk of C, blocks
/// of A and B for it, or the chunk's return), and the port waits until the worker can take part.
/// Workers without work are skipped. If no worker has the memory, the plan has no transfers;
/// nothing is thrown. A run throws SimulationError if a worker stops (noise) that a later transfer
/// needs. O(1) amortised per transfer. The problem must outlive the plan; the platform need not.
Plan plan_round_robin(const Platform& platform, const Problem& problem);

}  // namespace starport
