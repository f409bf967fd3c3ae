// Platforms and short cuts that the tests of distributed products share.
#pragma once

#include "heuristics/spmd/partitioning.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/random.hpp"
#include "sim/spmd/cluster.hpp"
#include "tests/paths.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace starport::spmd::test {

/// Nodes of one device, of so many block updates a second.
inline Cluster plain_cluster(std::initializer_list<double> blocks_per_s,
                             std::int64_t block_size = 16) {
  Cluster cluster{.name = "plain", .block_size = block_size, .nodes = {}};
  const auto b = static_cast<double>(block_size);
  for (const double speed : blocks_per_s) {
    Device device;
    device.speed_flops = speed * 2 * b * b * b;
    Node node;
    node.processors.push_back({.device = device, .measured = {}});
    node.memory_bytes = 1e18;
    node.bandwidth_bytes_per_s = 1e9;
    node.kind = cluster.nodes.size();
    cluster.nodes.push_back(node);
  }
  return cluster;
}

inline Cluster grid5000() {
  return make_cluster(load_platform(STARPORT_SOURCE_DIR "/platforms/grid5000-90.json"), 128);
}

inline Partitioning divide(const Cluster& cluster, std::int64_t side, BalancingStrategy strategy) {
  PartitioningProblem problem{.side = side, .block_size = cluster.block_size, .devices = {}};
  for (const Node& node : cluster.nodes) problem.devices.push_back(node.processors.size());
  return inpa(problem, strategy,
              [&](std::int64_t i, std::size_t j, std::int64_t m, std::int64_t n, std::int64_t d) {
                return cluster.update_s(cluster.nodes[i], j, m, d, m * n);
              });
}

/// One to four devices a node, links that differ.
inline Cluster random_cluster(Random& random, std::int64_t nodes) {
  Cluster cluster{.name = "random", .block_size = random.integer(4, 40), .nodes = {}};
  for (std::int64_t i = 0; i < nodes; ++i) {
    Node node;
    for (std::int64_t j = random.integer(1, 4); j > 0; --j) {
      Device device;
      device.speed_flops = random.real(1e8, 1e9);
      device.start_up_s = random.real(0, 1e-5);
      node.processors.push_back({.device = device, .measured = {}});
    }
    node.memory_bytes = 1e12;
    node.bandwidth_bytes_per_s = random.real(1e7, 1e8);
    node.latency_s = random.real(0, 1e-5);
    node.kind = static_cast<std::size_t>(i);
    cluster.nodes.push_back(node);
  }
  return cluster;
}

}  // namespace starport::spmd::test
