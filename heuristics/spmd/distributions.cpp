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

/// Throws NotApplicable unless each processor has a single speed, independent of the size, as in
/// HCW'06.
void check_speeds(const Cluster& cluster) {
  for (std::int64_t i = 0; i < std::ssize(cluster.nodes); ++i) {
    if (std::ranges::all_of(cluster.nodes[i].processors, has_one_speed)) continue;
    throw NotApplicable(fmt::format(
        "it requires processors of one speed each, but the speed of worker {} depends on "
        "the size of its updates",
        i + 1));
  }
}

/// Converts a cluster of two workers to the model of HCW'06: two processors connected by their
/// links.
TwoProcessors make_two_processors(const Cluster& cluster, std::int64_t side, std::int64_t fast) {
  const Node& p1 = cluster.nodes[fast];
  const Node& p2 = cluster.nodes[1 - fast];
  return {.N = side * cluster.block_size,
          .fast_flops = full_speed(p1),
          .slow_flops = full_speed(p2),
          .bandwidth_bytes_per_s = std::min(p1.bandwidth_bytes_per_s, p2.bandwidth_bytes_per_s),
          .latency_s = p1.latency_s + p2.latency_s,
          .fast_worker = fast};
}

/// Throws NotApplicable unless each worker has memory for its parts of A, B and C and all elements
/// that it receives.
void check_memory(const Cluster& cluster, const PairPlan& plan) {
  const auto N = static_cast<double>(plan.problem.N);
  const double slow_elements = (plan.bulk.slow.local_flops + plan.bulk.slow.rest_flops) / (2 * N);
  for (const std::int64_t processor : {0, 1}) {
    double elements = 3 * (processor == 0 ? N * N - slow_elements : slow_elements);
    for (const BulkMessage& message : plan.bulk.messages) {
      if (message.from != processor) elements += static_cast<double>(message.elements);
    }
    const std::int64_t worker = plan.problem.worker(processor);
    const double bytes = 8 * elements;
    const double memory_bytes = cluster.nodes[worker].memory_bytes;
    if (bytes <= memory_bytes) continue;
    throw NotApplicable(
        fmt::format("worker {} needs {:.4g} GB for its parts of A, B and C, but has {:.4g} GB",
                    worker + 1, bytes / 1e9, memory_bytes / 1e9));
  }
}

}  // namespace

std::variant<ProductPlan, PairPlan> HierarchicalDistribution::plan(const Cluster& cluster,
                                                                   std::int64_t side) const {
  if (parameters_.home == Home::hub && !cluster.one_at_a_time) {
    throw NotApplicable(
        "its hub sends to one worker at a time, but this platform has several ports");
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

std::variant<ProductPlan, PairPlan> TwoProcessorDistribution::plan(const Cluster& cluster,
                                                                   std::int64_t side) const {
  if (cluster.nodes.size() != 2) {
    throw NotApplicable(
        fmt::format("it requires two workers, but the platform has {}", cluster.nodes.size()));
  }
  check_speeds(cluster);
  PairPlan plan;
  const bool first = full_speed(cluster.nodes[0]) >= full_speed(cluster.nodes[1]);
  plan.problem = make_two_processors(cluster, side, first ? 0 : 1);
  BulkOptions options{.both_directions = parameters_.both_directions,
                      .overlap = parameters_.overlap};
  if (parameters_.best_cut) options.cut = best_cut(plan.problem, shape_, options);
  plan.bulk = plan_bulk(plan.problem, shape_, options);
  check_memory(cluster, plan);
  return plan;
}

}  // namespace starport::spmd
