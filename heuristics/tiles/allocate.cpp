#include "heuristics/tiles/allocate.hpp"

#include "heuristics/partition/methods.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace starport::tiles {
namespace {

template <std::size_t D>
Allocation in_tiles(const partition::Partition<D>& partition, const std::vector<double>& speeds,
                    std::int32_t n, const AllocationRule& rule) {
  if (n > partition::kMostTiles<D>) {
    throw NotApplicable(fmt::format("{} is for at most {} tiles a side, not {}", rule.method,
                                    partition::kMostTiles<D>, n));
  }
  if (rule.redux && D == 2) {
    throw NotApplicable(rule.method + " gives each tile of C to one node: nothing to reduce");
  }
  return {.n = n,
          .nodes = partition::to_tiles(partition, speeds, n, rule.rounding).owner,
          .redux = rule.redux};
}

}  // namespace

std::vector<double> node_speeds(const Platform& platform) {
  std::vector<double> speeds(static_cast<std::size_t>(platform.nodes()));
  for (const Worker& worker : platform.workers) {
    speeds[static_cast<std::size_t>(worker.node)] += 1 / worker.update_s;
  }
  return speeds;
}

Allocation allocate(const Platform& platform, std::int32_t n, const AllocationRule& rule) {
  const std::vector<double> speeds = node_speeds(platform);
  return std::visit([&](const auto divide) { return in_tiles(divide(speeds), speeds, n, rule); },
                    partition::method(rule.method).divide);
}

}  // namespace starport::tiles
