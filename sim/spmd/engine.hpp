// The exact engine of the distributed product.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/product_run.hpp"

namespace starport::spmd {

/// In one iteration all hops go at once. A node's link carries what it sends and what it receives
/// at its bandwidth each way, after its latency; the communication lasts as long as the slowest
/// link. Then every device updates, and the slowest ends the iteration. Equal iterations are
/// computed once.
ProductRun run_product(const Cluster& cluster, const Partition& partition, ProductRules rules = {},
                       const StageSink& sink = {}, const Durations& durations = Durations());

/// The nominal times of the devices' updates, for any engine.
PerWorker<std::vector<double>> update_times(const Cluster& cluster, const Partition& partition);

}  // namespace starport::spmd
