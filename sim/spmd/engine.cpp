#include "sim/spmd/engine.hpp"

#include "sim/spmd/hub.hpp"

#include <algorithm>

namespace starport::spmd {
namespace {

/// Computes the time of each link, which sends and receives at once. Returns the longest one.
double communicate(const Cluster& cluster, const Loads& loads, const Durations& durations,
                   const StageRun& stage, PerWorker<double>& link_s) {
  double slowest_s = 0;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const auto blocks = static_cast<double>(std::max(loads.sent(i), loads.received(i)));
    link_s[i] = 0;
    if (blocks == 0) continue;
    const Node& node = cluster.nodes[i];
    link_s[i] = durations.transfer_s(static_cast<std::int64_t>(i), stage.stage.pivot + 1,
                                     stage.start_s, node.latency_s,
                                     blocks * cluster.block_bytes() / node.bandwidth_bytes_per_s);
    slowest_s = std::max(slowest_s, link_s[i]);
  }
  return slowest_s;
}

/// Computes the time of each device. Returns the longest one.
double update(const PerWorker<std::vector<double>>& nominal_s, const Durations& durations,
              const StageRun& stage, PerWorker<std::vector<double>>& update_s) {
  double slowest_s = 0;
  for (std::size_t i = 0; i < nominal_s.size(); ++i) {
    for (std::size_t j = 0; j < nominal_s[i].size(); ++j) {
      update_s[i][j] = durations.update_s(static_cast<std::int64_t>(i),
                                          update_number(stage.stage.pivot, j, nominal_s[i].size()),
                                          stage.start_s + stage.communication_s, nominal_s[i][j]);
      slowest_s = std::max(slowest_s, update_s[i][j]);
    }
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

ProductRun run_product(const Cluster& cluster, const Partition& partition, ProductRules rules,
                       const StageSink& sink, const Durations& durations) {
  const std::size_t nodes = cluster.nodes.size();
  const PerWorker<std::vector<double>> nominal_s = update_times(cluster, partition);
  const OuterProduct product(partition.arrangement, rules.multicast);
  Loads loads(nodes);
  IterationTimes times{.link_s = PerWorker<double>(nodes), .update_s = nominal_s};
  Messages messages;
  ProductRun run;
  const auto transfers_s = [&](HubPhase phase) {
    return rules.home == Home::hub
               ? hub_transfers_s(cluster, partition.arrangement, durations, phase, run.makespan_s)
               : PerWorker<double>();
  };
  run.spread_s = transfers_s(HubPhase::spread);
  run.makespan_s = sum_s(run.spread_s);
  double slowest_s = 0;
  for (const Stage& stage : stages_of(product, durations)) {
    product.list(stage.pivot, messages);
    loads.count(messages);
    StageRun one{.stage = stage, .start_s = run.makespan_s};
    one.communication_s = communicate(cluster, loads, durations, one, times.link_s);
    times.same_updates = !durations.has_noise() && !run.stages.empty();
    if (!times.same_updates) slowest_s = update(nominal_s, durations, one, times.update_s);
    one.update_s = slowest_s;
    run.add(one, times);
    if (sink) sink(one, messages, times);
  }
  run.collect_s = transfers_s(HubPhase::collect);
  run.makespan_s += sum_s(run.collect_s);
  return run;
}

}  // namespace starport::spmd
