#include "heuristics/tiles/task_lists.hpp"

#include <algorithm>
#include <functional>

namespace starport::tiles {

TaskLists::TaskLists(const Scene& scene, int lists)
    : scene_(scene),
      lists_(static_cast<std::size_t>(lists)),
      items_(static_cast<std::size_t>(scene.work.targets())),
      orders_(lists_.size()),
      rows_(static_cast<std::size_t>(scene.work.tiling().n)),
      columns_(rows_.size()) {
  for (std::int32_t target = 0; target < scene.work.targets(); ++target) {
    const std::int32_t cell = scene.work.cell_of(target);
    const std::int32_t n = scene.work.tiling().n;
    rows_[static_cast<std::size_t>(cell / n)].push_back(target);
    columns_[static_cast<std::size_t>(cell % n)].push_back(target);
  }
}

bool TaskLists::all_empty() const {
  return std::all_of(lists_.begin(), lists_.end(), [](const auto& list) { return list.empty(); });
}

void TaskLists::push(int list, const Task& task) {
  auto& tasks = lists_[static_cast<std::size_t>(list)];
  items_[static_cast<std::size_t>(task.target)] = {.number = pushes_++,
                                                   .list = list,
                                                   .needs = scene_.work.needs(task),
                                                   .place = tasks.insert(tasks.end(), task)};
  auto& orders = orders_[static_cast<std::size_t>(list)];
  for (std::size_t node = 0; node < orders.size(); ++node) {
    if (orders[node]) put(*orders[node], static_cast<int>(node), task.target);
  }
}

Task TaskLists::take(const Task& task) {
  const Task taken = task;  // it may stand in the list
  Item& item = items_[static_cast<std::size_t>(taken.target)];
  lists_[static_cast<std::size_t>(item.list)].erase(item.place);
  item.number = kNone;
  return taken;
}

TaskLists::Cheapest TaskLists::cheapest(int node, int list) {
  Order* const kept = order(node, list);
  Order& known = kept != nullptr ? *kept : begin_order(node, list);
  for (std::size_t cost = 0; cost < known.heaps.size(); ++cost) {
    auto& heap = known.heaps[cost];
    while (!heap.empty() && !stands(known, list, heap.front(), cost)) {
      std::pop_heap(heap.begin(), heap.end(), std::greater<>());
      heap.pop_back();
    }
    if (heap.empty()) continue;
    return {*items_[static_cast<std::size_t>(heap.front().target)].place, static_cast<int>(cost)};
  }
  return {tasks(list).front(), static_cast<int>(known.heaps.size())};
}

TaskLists::Cheapest TaskLists::cheapest_of_first(int node, int list, std::size_t tasks) const {
  Cheapest cheapest{.task = this->tasks(list).front()};
  for (const Task& task : this->tasks(list)) {
    if (tasks-- == 0 || cheapest.cost == 0) break;
    const int cost = scene_.copies.cost(node, items_[static_cast<std::size_t>(task.target)].needs);
    if (cost < cheapest.cost) cheapest = {task, cost};
  }
  return cheapest;
}

TaskLists::Order& TaskLists::begin_order(int node, int list) {
  auto& orders = orders_[static_cast<std::size_t>(list)];
  orders.resize(static_cast<std::size_t>(scene_.platform.nodes()));
  auto& fresh = orders[static_cast<std::size_t>(node)];
  fresh = std::make_unique<Order>();
  fresh->costs.resize(items_.size());
  for (const Task& task : tasks(list)) put(*fresh, node, task.target);
  return *fresh;
}

/// By what it costs now.
void TaskLists::put(Order& order, int node, std::int32_t target) {
  const Item& item = items_[static_cast<std::size_t>(target)];
  const auto cost = static_cast<std::size_t>(scene_.copies.cost(node, item.needs));
  order.costs[static_cast<std::size_t>(target)] = static_cast<std::uint8_t>(cost);
  if (cost == order.heaps.size()) return;
  auto& heap = order.heaps[cost];
  if (heap.size() > 64 + 2 * tasks(item.list).size()) {
    std::erase_if(heap, [&](const Entry& entry) { return !stands(order, item.list, entry, cost); });
    std::make_heap(heap.begin(), heap.end(), std::greater<>());
  }
  heap.push_back({item.number, target});
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

bool TaskLists::stands(const Order& order, int list, const Entry& entry, std::size_t cost) const {
  const Item& item = items_[static_cast<std::size_t>(entry.target)];
  return item.number == entry.number && item.list == list &&
         order.costs[static_cast<std::size_t>(entry.target)] == cost;
}

void TaskLists::copy(int node, Tile tile) {
  const Tiling& tiling = scene_.work.tiling();
  if (tiling.is_target(tile)) {
    const std::int32_t target = tile - tiling.target(0);
    update(node, tile, target);
    if (scene_.work.is_auxiliary(target)) update(node, tile, scene_.work.cell_of(target));
    return;
  }
  const bool of_a = tile < tiling.square();
  const auto line = static_cast<std::size_t>(of_a ? tile / tiling.n : tile % tiling.n);
  for (const std::int32_t target : of_a ? rows_[line] : columns_[line]) update(node, tile, target);
}

/// If its task needs the tile.
void TaskLists::update(int node, Tile tile, std::int32_t target) {
  const Item& item = items_[static_cast<std::size_t>(target)];
  if (item.number == kNone) return;
  Order* const kept = order(node, item.list);
  if (kept == nullptr) return;
  const Needs& needs = item.needs;
  if (needs.target == tile || needs.first == tile || needs.second == tile) {
    put(*kept, node, target);
  }
}

}  // namespace starport::tiles
