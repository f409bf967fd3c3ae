// The analytic engine of distributed products, the transfers of a hub that holds A, B and C, and an
// upper bound on the speed of any partition.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/durations.hpp"
#include "sim/spmd/partition.hpp"
#include "sim/spmd/product_run.hpp"

#include <cstdint>

namespace starport::spmd {

/// Computes a run of a distributed product without a simulation and passes each stage (range of
/// identical iterations), in order, to `sink` if given. In an iteration all messages travel at
/// once: after its latency, a node's link carries what it sends and what it receives at its
/// bandwidth in each direction, and the slowest link ends the communication. Then all devices
/// update, and the slowest one ends the iteration. By default, blocks go from each node to the next
/// (Multicast::chain), and the workers hold the matrices; with Home::hub, the transfers of the hub
/// before and after the iterations are part of the run. Durations include the noise of `durations`,
/// if any; stops of workers are ignored. Identical iterations are computed once. The partition must
/// be valid for the cluster (see find_fault()), its Arrangement::columns must match its rectangles,
/// and the noise must be drawn for the cluster's workers (undefined behaviour otherwise). Throws
/// NotApplicable if a device's measured speeds do not cover the size of its part or a node without
/// paging has too little memory; exceptions of `sink` pass through. The result refers to none of
/// the arguments.
ProductRun run_product(const Cluster& cluster, const Partition& partition, ProductRules rules = {},
                       const StageSink& sink = {},
                       const ProductDurations& durations = ProductDurations());

/// Returns the nominal time in seconds of an update (one iteration) on each device, by node and
/// device; 0 for a device without columns of C. The partition must have, for each node, one
/// rectangle and one list of slices, with at most one slice per device (undefined behaviour
/// otherwise). Throws NotApplicable if a device's measured speeds do not cover the size of its
/// slice or a node without paging has too little memory.
PerWorker<std::vector<double>> update_times(const Cluster& cluster, const Partition& partition);

/// The two phases of a hub, a host at the switch that holds the matrices: sending A, B and C to the
/// workers before the iterations (`spread`), receiving C after them (`collect`).
enum class HubPhase : std::uint8_t { spread, collect };

/// Returns the number of matrix blocks that the hub (the host that holds the matrices) exchanges in
/// one phase with the worker that owns `rectangle`, of m x n blocks: 3 m n when spreading (that
/// part of A, B and C), m n when collecting (C only).
std::int64_t hub_blocks(const NodeRectangle& rectangle, HubPhase phase);
/// Returns the number, from 1, of a worker's transfer with the hub (the host that holds the
/// matrices), which selects its random factor in the noise: side + 1 when spreading, side + 2 when
/// collecting. Transfers of the `side` iterations (the number of block columns of A) have the
/// numbers 1 to `side`.
std::int64_t hub_transfer_number(std::int64_t side, HubPhase phase);

/// Returns the duration in seconds of the transfer of each worker (from 0) with the hub (the host
/// that holds the matrices) in a phase that starts at simulated date `start_s`, in seconds.
/// Transfers follow each other in the order of the workers, whatever Cluster::one_at_a_time; the
/// noise of `durations` counts. Requires one rectangle per node of the cluster, and noise drawn for
/// these workers (undefined behaviour otherwise).
PerWorker<double> hub_transfers_s(const Cluster& cluster, const Arrangement& arrangement,
                                  const ProductDurations& durations, HubPhase phase,
                                  double start_s);

/// Throws NotApplicable if the nodes together cannot hold side x side (side >= 1) blocks of A, B
/// and C, fractions of blocks allowed, because of their memories (those of nodes with paging have
/// no limit) or because measured speeds end before, or if there are no nodes.
void check_room(const Cluster& cluster, std::int64_t side);
/// Returns an upper bound on the speed in flop/s of a product of side x side blocks, side >= 1,
/// without noise, with any division of C among the devices: the speed if shares may be fractions of
/// blocks, nodes do not communicate, and all blocks are updated in the shortest possible time. The
/// part of a device behind a bus is taken as a square, which needs the least of A and B; the bus of
/// a device with measured speeds is ignored. Throws NotApplicable if the nodes together have no
/// room for A, B and C (see check_room()). With side = 0, it does not return.
double balanced_speed_flops(const Cluster& cluster, std::int64_t side);

}  // namespace starport::spmd
