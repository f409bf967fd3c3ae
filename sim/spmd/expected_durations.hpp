// Durations of transfers and updates of distributed products, computed from the definition of the
// model for the validators. Shares no code with the engines.
#pragma once

#include "sim/platform/noise/expected_noise.hpp"
#include "sim/spmd/cluster.hpp"
#include "sim/spmd/partition.hpp"

#include <cstddef>
#include <cstdint>

namespace starport::spmd {

/// Returns the nominal duration in seconds of an update (one block column of A times one block row
/// of B) on a device of a node that holds the rectangle `own` of C, of which the device has
/// `columns` columns of elements; 0 without columns. Bus and paging are included; also, unless the
/// device's speeds were measured, its start-up time and its slow-down as C fills its own memory.
/// Node and device are counted from 0; they must exist, and the device must have a speed unless its
/// speeds were measured (undefined behaviour otherwise). Throws SimulationError if the node's
/// memory is exceeded and it has no paging, or if measured speeds end below this size.
double expected_update_s(const Cluster& cluster, std::size_t node, std::size_t device,
                         const NodeRectangle& own, std::int64_t columns);

/// Returns the duration in seconds of the n-th transfer (n from 1) from worker `from` to worker
/// `to` (both from 0; equal for a transfer through the switch or with the hub) that starts at date
/// `start_s`: its latency, then `nominal_s` seconds for its bytes. `noise` may be null. Otherwise
/// its random factor for the sender applies to the latency and the bytes, slow-downs to the bytes
/// only, at each date that of the slower link; both workers must exist in the noise (not checked).
double expected_transfer_s(const ExpectedNoise* noise, std::int64_t from, std::int64_t to,
                           std::int64_t n, double start_s, double latency_s, double nominal_s);

/// Returns the duration in seconds of the n-th computation (n from 1, over all its devices) of a
/// worker (from 0) that starts at date `start_s` and nominally takes `nominal_s` seconds. `noise`
/// may be null: none. Otherwise its random factor and slow-downs apply, and the worker must exist
/// in it (not checked).
double expected_computation_s(const ExpectedNoise* noise, std::int64_t worker, std::int64_t n,
                              double start_s, double nominal_s);

}  // namespace starport::spmd
