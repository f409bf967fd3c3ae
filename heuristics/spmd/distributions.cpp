#include "heuristics/spmd/distributions.hpp"

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

bool has_one_speed(const Processor& processor) {
  const Device& device = processor.device;
  return processor.measured.empty() && device.decline.empty() && device.start_up_s == 0 &&
         !device.bus_bytes_per_s;
}

/// HCW'06 knows one speed for each processor, whatever the size.
void check_speeds(const Cluster& cluster) {
  for (std::int64_t i = 0; i < std::ssize(cluster.nodes); ++i) {
    if (std::ranges::all_of(cluster.nodes[i].processors, has_one_speed)) continue;
    throw NotApplicable(
        fmt::format("it is for processors of one speed each; that of worker {} depends on the size "
                    "of what it updates",
                    i + 1));
  }
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

/// Each holds its parts of A, B and C, and all that the other sends it.
void check_room(const Cluster& cluster, const PairPlan& plan) {
  const auto N = static_cast<double>(plan.problem.N);
  const double of_slow = (plan.bulk.slow.local_flops + plan.bulk.slow.rest_flops) / (2 * N);
  for (const std::int64_t processor : {0, 1}) {
    double elements = 3 * (processor == 0 ? N * N - of_slow : of_slow);
    for (const BulkMessage& message : plan.bulk.messages) {
      if (message.from != processor) elements += static_cast<double>(message.elements);
    }
    const std::int64_t worker = plan.problem.worker(processor);
    const double bytes = 8 * elements;
    const double room = cluster.nodes[worker].memory_bytes;
    if (bytes <= room) continue;
    throw NotApplicable(
        fmt::format("worker {} would hold {:.4g} GB of A, B and C, and has {:.4g} GB", worker + 1,
                    bytes / 1e9, room / 1e9));
  }
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
  check_speeds(cluster);
  PairPlan plan;
  const bool first = full_speed(cluster.nodes[0]) >= full_speed(cluster.nodes[1]);
  plan.problem = two_processors(cluster, side, first ? 0 : 1);
  BulkOptions options{.both_directions = parameters_.both_directions,
                      .overlap = parameters_.overlap};
  if (parameters_.best_cut) options.cut = best_cut(plan.problem, shape_, options);
  plan.bulk = plan_bulk(plan.problem, shape_, options);
  check_room(cluster, plan);
  return plan;
}

}  // namespace starport::spmd
