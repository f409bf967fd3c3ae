// The analytic engine of distributed products.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/product_run.hpp"

namespace starport::spmd {

/// Computes a run of a distributed product and passes each stage to `sink` if given. In an
/// iteration all hops take place at once: after its latency, a node's link carries what it sends
/// and what it receives at its bandwidth in each direction, and the slowest link ends the
/// communication. Then all devices update, and the slowest one ends the iteration. Identical
/// iterations are computed once. Throws NotApplicable if a device's speed is unknown or a memory
/// too small.
ProductRun run_product(const Cluster& cluster, const Partition& partition, ProductRules rules = {},
                       const StageSink& sink = {}, const Durations& durations = Durations());

/// Returns the nominal time of an update on each device, by node. Throws NotApplicable like
/// Cluster::update_s().
PerWorker<std::vector<double>> update_times(const Cluster& cluster, const Partition& partition);

}  // namespace starport::spmd
