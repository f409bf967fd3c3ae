#include "heuristics/tiles/allocate.hpp"

#include "heuristics/partition/methods.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace starport::tiles {
namespace {

template <std::size_t D>
Allocation round_to_tiles(const partition::Partition<D>& partition,
                          const std::vector<double>& speeds, std::int32_t n,
                          const AllocationMethod& method) {
  if (n > partition::kMaxTiles<D>) {
    throw NotApplicable(fmt::format("{} is limited to {} tiles per side, and this product has {}",
                                    method.partition, partition::kMaxTiles<D>, n));
  }
  if (method.redux && D == 2) {
    throw NotApplicable(method.partition +
                        " assigns each tile of C to one node, so there is nothing to reduce");
  }
  return {.n = n,
          .nodes = partition::to_tiles(partition, speeds, n, method.rounding).owner,
          .redux = method.redux};
}

}  // namespace

Allocation allocate(const Platform& platform, std::int32_t n, const AllocationMethod& method) {
  const std::vector<double> speeds = node_speeds(platform);
  return std::visit(
      [&](const auto divide) { return round_to_tiles(divide(speeds), speeds, n, method); },
      partition::find_method(method.partition).divide);
}

}  // namespace starport::tiles
