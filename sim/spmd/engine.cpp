#include "sim/spmd/engine.hpp"

#include <algorithm>

namespace starport::spmd {
namespace {

/// Blocks that each node's link carries.
struct Loads {
  PerWorker<std::int64_t> sent;
  PerWorker<std::int64_t> received;

  void count(const std::vector<Hop>& hops) {
    std::fill(sent.begin(), sent.end(), 0);
    std::fill(received.begin(), received.end(), 0);
    for (const Hop& hop : hops) {
      sent[hop.from] += hop.blocks;
      received[hop.to] += hop.blocks;
    }
  }
};

double communication_s(const Cluster& cluster, const Loads& loads) {
  double slowest_s = 0;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const auto blocks = static_cast<double>(std::max(loads.sent[i], loads.received[i]));
    if (blocks == 0) continue;
    const Node& node = cluster.nodes[i];
    slowest_s = std::max(
        slowest_s, node.latency_s + blocks * cluster.block_bytes() / node.bandwidth_bytes_per_s);
  }
  return slowest_s;
}

}  // namespace

PerWorker<std::vector<double>> update_times(const Cluster& cluster, const Partition& partition) {
  PerWorker<std::vector<double>> times;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const Rectangle& mine = partition.arrangement.rectangles[i];
    std::vector<double>& of_node = times.emplace_back();
    for (std::size_t j = 0; j < partition.slices[i].size(); ++j) {
      of_node.push_back(
          cluster.update_s(cluster.nodes[i], j, mine.m, partition.slices[i][j], mine.blocks()));
    }
  }
  return times;
}

ProductRun run_product(const Cluster& cluster, const Partition& partition, Multicast multicast,
                       const StageSink& sink) {
  ProductRun run;
  run.update_s = update_times(cluster, partition);
  double update_s = 0;
  for (const auto& devices : run.update_s) {
    update_s = std::max(update_s, *std::max_element(devices.begin(), devices.end()));
  }
  const OuterProduct product(partition.arrangement, multicast);
  const std::size_t nodes = cluster.nodes.size();
  Loads loads{.sent = PerWorker<std::int64_t>(nodes), .received = PerWorker<std::int64_t>(nodes)};
  std::vector<Hop> hops;
  for (const Stage& stage : product.stages()) {
    product.list_hops(stage.pivot, hops);
    loads.count(hops);
    run.stages.push_back({.stage = stage,
                          .start_s = run.makespan_s,
                          .communication_s = communication_s(cluster, loads),
                          .update_s = update_s});
    run.makespan_s = run.stages.back().end_s();
    if (sink) sink(run.stages.back(), hops);
  }
  return run;
}

}  // namespace starport::spmd
