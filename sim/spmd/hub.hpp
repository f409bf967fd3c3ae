// Transfers of a hub that holds A, B and C: it sends each worker its parts of all three before the
// first iteration, and receives its part of C after the last, one transfer at a time.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/durations.hpp"
#include "sim/spmd/partition.hpp"

#include <cstdint>

namespace starport::spmd {

/// The two phases of a hub that holds the matrices: sending A, B and C to the workers before the
/// iterations (`spread`), receiving C after them (`collect`).
enum class HubPhase : std::uint8_t { spread, collect };

/// Returns the number of blocks that the hub exchanges in one phase with the worker that owns
/// `rectangle`: its part of A, B and C when spreading, of C only when collecting.
std::int64_t hub_blocks(const Rectangle& rectangle, HubPhase phase);
/// Returns the number of a worker's transfer with the hub, which selects its random factor in the
/// noise: side + 1 when spreading, side + 2 when collecting. Transfers of the `side` iterations
/// have the numbers 1 to `side`.
std::int64_t hub_transfer_number(std::int64_t side, HubPhase phase);

/// Returns the duration in seconds of each worker's transfer in a phase that starts at simulated
/// date `start_s`, in seconds. Transfers follow each other in the order of the workers. Requires
/// one rectangle per node of the cluster.
PerWorker<double> hub_transfers_s(const Cluster& cluster, const Arrangement& arrangement,
                                  const Durations& durations, HubPhase phase, double start_s);

}  // namespace starport::spmd
