// The analytic engine of distributed products.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/product_run.hpp"

namespace starport::spmd {

/// Computes a run of a distributed product without a simulation and passes each stage, in order, to
/// `sink` if given. In an iteration all messages travel at once: after its latency, a node's link
/// carries what it sends and what it receives at its bandwidth in each direction, and the slowest
/// link ends the communication. Then all devices update, and the slowest one ends the iteration.
/// Identical iterations are computed once. Stops of workers are ignored. The partition must be
/// valid for the cluster (see find_fault()). Throws NotApplicable if a device's measured speeds do
/// not cover its share or a memory is too small.
ProductRun run_product(const Cluster& cluster, const Partition& partition, ProductRules rules = {},
                       const StageSink& sink = {}, const Durations& durations = Durations());

/// Returns the nominal time in seconds of an update on each device, by node and device. The
/// partition must have one rectangle and one list of slices per node. Throws NotApplicable if a
/// device's measured speeds do not cover its share or the memory of a node is too small.
PerWorker<std::vector<double>> update_times(const Cluster& cluster, const Partition& partition);

}  // namespace starport::spmd
