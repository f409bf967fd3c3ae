// Transfers of a hub that holds A, B and C: it sends each worker its parts of all three before the
// first iteration, and receives its part of C after the last, one transfer at a time.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/durations.hpp"
#include "sim/spmd/partition.hpp"

#include <cstdint>

namespace starport::spmd {

/// The two phases of a hub: sending A, B and C before the iterations, receiving C after them.
enum class HubPhase : std::uint8_t { spread, collect };

/// Returns the number of blocks in the transfer of the worker that owns `rectangle`: its part of A,
/// B and C, or of C only.
std::int64_t hub_blocks(const Rectangle& rectangle, HubPhase phase);
/// Returns the number of a worker's transfer with the hub, which identifies it to the noise.
/// Transfers of the `side` iterations have numbers 1 to `side`.
std::int64_t hub_transfer_number(std::int64_t side, HubPhase phase);

/// Returns the duration of each worker's transfer of a phase that starts at `start_s`, in seconds.
/// Transfers follow each other in the order of the workers.
PerWorker<double> hub_transfers_s(const Cluster& cluster, const Arrangement& arrangement,
                                  const Durations& durations, HubPhase phase, double start_s);

}  // namespace starport::spmd
