#include "heuristics/spmd/distributions.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

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
    throw NotApplicable(fmt::format(
        "worker {} needs {:.4g} GB for its parts of A, B and C, but has {:.4g} GB", worker + 1,
        cluster.to_file_bytes(bytes) / 1e9, cluster.to_file_bytes(memory_bytes) / 1e9));
  }
}

Entry<Distribution> make_hierarchical_entry(BalancingStrategy strategy, std::string description) {
  using Parameters = HierarchicalDistribution::Parameters;
  return make_entry<Distribution, Parameters>(
      {to_string(strategy),
       std::move(description),
       "HeteroPar'12, section 4",
       {"heteropar12"},
       {},
       false},
      product_fields(), [strategy](const Parameters& parameters) {
        return std::make_unique<HierarchicalDistribution>(strategy, parameters);
      });
}

Entry<Distribution> make_pair_entry(Shape shape, std::string name, std::string description) {
  using Parameters = TwoProcessorDistribution::Parameters;
  std::vector<ParameterField<Parameters>> fields;
  if (shape != Shape::sequential) {
    fields = {
        choice_field(
            "directions", &Parameters::both_directions, {{"serial", false}, {"both", true}},
            "the link carries one message at a time (serial), or one in each direction (both)"),
        choice_field("cut", &Parameters::best_cut, {{"area", false}, {"best", true}},
                     "shares in proportion to the speeds (area), or of least makespan (best)")};
  }
  if (shape == Shape::square_corner) {
    fields.push_back(choice_field(
        "overlap", &Parameters::overlap,
        {{"none", Overlap::none}, {"fast", Overlap::fast}, {"both", Overlap::both}},
        "which processors compute during the communication: none, the faster one, or both"));
  }
  return make_entry<Distribution, Parameters>(
      {std::move(name), std::move(description), "HCW'06, sections 3 and 4", {"hcw06"}, {}, false},
      std::move(fields), [shape](const Parameters& parameters) {
        return std::make_unique<TwoProcessorDistribution>(shape, parameters);
      });
}

}  // namespace

std::vector<ParameterField<HierarchicalParameters>> product_fields() {
  return {
      choice_field(
          "multicast", &HierarchicalParameters::multicast,
          {{"chain", Multicast::chain}, {"flat", Multicast::flat}},
          "how the pivot blocks reach the other workers: from one to the next (chain), or from "
          "their owner to each (flat)"),
      choice_field(
          "data", &HierarchicalParameters::home, {{"workers", Home::workers}, {"hub", Home::hub}},
          "where A, B and C are initially: on the workers, or at the hub, which sends each worker "
          "its parts first and receives C at the end")};
}

void check_home(const Cluster& cluster, Home home) {
  if (home == Home::hub && !cluster.one_at_a_time) {
    throw NotApplicable(
        "its hub sends to one worker at a time, but this platform has several ports");
  }
}

std::variant<ProductPlan, PairPlan> HierarchicalDistribution::plan(const Cluster& cluster,
                                                                   std::int64_t side,
                                                                   double /*time_limit_s*/) const {
  check_home(cluster, parameters_.home);
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
                                                                   std::int64_t side,
                                                                   double /*time_limit_s*/) const {
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

const std::vector<Entry<Distribution>>& distribution_registry() {
  static const std::vector<Entry<Distribution>> registry{
      make_hierarchical_entry(
          BalancingStrategy::functional,
          "divides C by functional performance models, speeds measured by size, until balanced"),
      make_hierarchical_entry(BalancingStrategy::multiple_cpm,
                              "divides C in proportion to the last measured speeds, repeatedly"),
      make_hierarchical_entry(BalancingStrategy::single_cpm,
                              "divides C in proportion to the speeds measured for even shares"),
      make_hierarchical_entry(BalancingStrategy::homogeneous,
                              "gives the same share to every node and device"),
      make_pair_entry(Shape::square_corner, "SquareCorner",
                      "for two processors: the slower one gets a square in the corner"),
      make_pair_entry(Shape::straight_line, "StraightLine",
                      "for two processors: the slower one gets some columns"),
      make_pair_entry(Shape::sequential, "Sequential",
                      "for two processors: the faster one computes everything")};
  return registry;
}

}  // namespace starport::spmd
