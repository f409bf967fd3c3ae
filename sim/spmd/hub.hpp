// A hub that holds A, B and C, one transfer at a time: each worker gets its parts of all three
// before the first iteration, and returns that of C after the last.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/durations.hpp"
#include "sim/spmd/partition.hpp"

#include <cstdint>

namespace starport::spmd {

enum class HubPhase : std::uint8_t { spread, collect };

/// Blocks that a worker gets or returns: its part of three matrices, or of C.
std::int64_t hub_blocks(const Rectangle& rectangle, HubPhase phase);
/// Which of the worker's transfers that is, for noise: those of the iterations have the numbers
/// from 1 to `side`.
std::int64_t hub_transfer(std::int64_t side, HubPhase phase);

/// What each worker's transfer takes. They follow each other in the order of the workers.
PerWorker<double> hub_transfers_s(const Cluster& cluster, const Arrangement& arrangement,
                                  const Durations& durations, HubPhase phase, double start_s);

}  // namespace starport::spmd
