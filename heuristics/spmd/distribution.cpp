#include "heuristics/spmd/distribution.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport::spmd {
namespace {

double full_speed(const Node& node) {
  double sum = 0;
  for (const Processor& processor : node.processors) sum += processor.device.full_speed_flops();
  return sum;
}

/// The two workers as processors of one speed, on the path between their links.
TwoProcessors two_processors(const Cluster& cluster, std::int64_t side, std::int64_t fast) {
  const Node& p1 = cluster.nodes[fast];
  const Node& p2 = cluster.nodes[1 - fast];
  return {.N = side * cluster.block_size,
          .fast_flops = full_speed(p1),
          .slow_flops = full_speed(p2),
          .bandwidth_bytes_per_s = std::min(p1.bandwidth_bytes_per_s, p2.bandwidth_bytes_per_s),
          .latency_s = p1.latency_s + p2.latency_s,
          .fast_worker = fast};
}

}  // namespace

std::variant<ProductPlan, PairPlan> Hierarchical::plan(const Cluster& cluster,
                                                       std::int64_t side) const {
  if (parameters_.home == Home::hub && !cluster.one_at_a_time) {
    throw NotApplicable("its hub sends to one worker at a time, here it has many ports");
  }
  PartitioningProblem problem{.side = side, .block_size = cluster.block_size, .devices = {}};
  for (const Node& node : cluster.nodes) problem.devices.push_back(node.processors.size());
  const auto kernel = [&](std::int64_t i, std::size_t j, std::int64_t m, std::int64_t n,
                          std::int64_t d) {
    return cluster.update_s(cluster.nodes[i], j, m, d, m * n);
  };
  return ProductPlan{.partitioning = inpa(problem, strategy_, kernel),
                     .rules = {parameters_.multicast, parameters_.home}};
}

std::variant<ProductPlan, PairPlan> Pair::plan(const Cluster& cluster, std::int64_t side) const {
  if (cluster.nodes.size() != 2) {
    throw NotApplicable(fmt::format("it is for two workers, there are {}", cluster.nodes.size()));
  }
  PairPlan plan;
  const bool first = full_speed(cluster.nodes[0]) >= full_speed(cluster.nodes[1]);
  plan.problem = two_processors(cluster, side, first ? 0 : 1);
  BulkOptions options{.both_directions = parameters_.both_directions,
                      .overlap = parameters_.overlap};
  if (parameters_.best_cut) options.cut = best_cut(plan.problem, shape_, options);
  plan.bulk = plan_bulk(plan.problem, shape_, options);
  return plan;
}

}  // namespace starport::spmd
