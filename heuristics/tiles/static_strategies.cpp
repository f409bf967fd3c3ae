#include "heuristics/tiles/static_strategies.hpp"

#include "heuristics/partition/methods.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

namespace starport::tiles {
namespace {

template <std::size_t D>
Allocation divide(partition::Divide<D> divide, const std::vector<double>& speeds,
                  const ProductSize& size, const AllocationMethod& method) {
  partition::TileCounts<D> counts;
  std::copy_n(std::array<std::int64_t, 3>{size.r, size.s, size.t}.begin(), D, counts.begin());
  if (partition::count_tiles<D>(counts) > partition::kMaxTiles) {
    throw NotApplicable(fmt::format(
        "{} is limited to {} {}, and this product has {}", method.partition, partition::kMaxTiles,
        D == 2 ? "tiles of C" : "tasks", partition::count_tiles<D>(counts)));
  }
  if (method.redux && D == 2) {
    throw NotApplicable(method.partition +
                        " assigns each tile of C to one node, so there is nothing to reduce");
  }
  const auto zones = divide(speeds, partition::make_whole<D>(counts));
  return {.size = size,
          .nodes = partition::to_tiles(zones, speeds, counts, method.rounding).owner,
          .redux = method.redux};
}

}  // namespace

Allocation allocate(const Platform& platform, const ProductSize& size,
                    const AllocationMethod& method) {
  const std::vector<double> speeds = node_speeds(platform);
  return std::visit([&](const auto of_method) { return divide(of_method, speeds, size, method); },
                    partition::find_method(method.partition).divide);
}

std::optional<int> StaticAllocation::push(const Task& task, double /*now_s*/) {
  lists_.push(context_.graph.node(task), task);
  return std::nullopt;
}

std::optional<Task> StaticAllocation::pop(int worker) {
  const int own = node(worker);
  if (lists_.is_empty(own)) return std::nullopt;
  return lists_.remove_front(own);
}

// Draws no random number if there is nothing to steal, so that the number of calls does not change
// the result.
std::optional<Task> RandSteal::steal(int /*worker*/) {
  if (lists_.are_empty()) return std::nullopt;
  auto victim = static_cast<int>(random_.integer(0, nodes() - 1));
  while (lists_.is_empty(victim)) victim = (victim + 1) % nodes();
  return lists_.remove_back(victim);
}

std::optional<Task> ChoiceSteal::steal(int worker) {
  std::optional<Task> cheapest;
  int least = 0;
  for (int step = 1; step < nodes(); ++step) {
    const int victim = (node(worker) + step) % nodes();
    if (lists_.is_empty(victim)) continue;
    const Task& last = lists_.tasks(victim).back();
    const int cost = context_.copies.transfer_cost(node(worker), context_.graph.operands(last));
    if (cheapest && cost >= least) continue;
    cheapest = last;
    least = cost;
  }
  if (!cheapest) return std::nullopt;
  return lists_.remove(*cheapest);
}

std::optional<Task> EffectiveSteal::steal(int worker) {
  TaskLists::Cheapest cheapest;
  bool found = false;
  for (int step = 1; step < nodes() && cheapest.cost > 0; ++step) {
    const int victim = (node(worker) + step) % nodes();
    if (lists_.is_empty(victim)) continue;
    const TaskLists::Cheapest candidate = lists_.find_cheapest(node(worker), victim);
    if (candidate.cost >= cheapest.cost) continue;
    cheapest = candidate;
    found = true;
  }
  if (!found) return RandSteal::steal(worker);
  return lists_.remove(cheapest.task);
}

}  // namespace starport::tiles
