#include "heuristics/tiles/task_lists.hpp"

#include <algorithm>
#include <functional>

namespace starport::tiles {

TaskLists::TaskLists(const StrategyContext& context, int lists)
    : context_(context),
      lists_(static_cast<std::size_t>(lists)),
      items_(static_cast<std::size_t>(context.graph.targets())),
      indexes_(lists_.size()),
      rows_(static_cast<std::size_t>(context.graph.numbering().r)),
      columns_(static_cast<std::size_t>(context.graph.numbering().s)) {
  const ProductSize& size = context.graph.numbering();
  for (std::int32_t target = 0; target < context.graph.targets(); ++target) {
    const std::int32_t cell = context.graph.cell_of(target);
    rows_[static_cast<std::size_t>(size.row(cell))].push_back(target);
    columns_[static_cast<std::size_t>(size.column(cell))].push_back(target);
  }
}

bool TaskLists::are_empty() const {
  return std::all_of(lists_.begin(), lists_.end(), [](const auto& list) { return list.empty(); });
}

void TaskLists::push(int list, const Task& task) {
  auto& tasks = lists_[static_cast<std::size_t>(list)];
  items_[static_cast<std::size_t>(task.target)] = {.number = pushes_++,
                                                   .list = list,
                                                   .operands = context_.graph.operands(task),
                                                   .position = tasks.insert(tasks.end(), task)};
  auto& indexes = indexes_[static_cast<std::size_t>(list)];
  for (std::size_t node = 0; node < indexes.size(); ++node) {
    if (indexes[node]) insert(*indexes[node], static_cast<int>(node), task.target);
  }
}

Task TaskLists::remove(const Task& task) {
  const Task removed = task;  // `task` may refer to the element to erase
  Item& item = items_[static_cast<std::size_t>(removed.target)];
  lists_[static_cast<std::size_t>(item.list)].erase(item.position);
  item.number = kNone;
  return removed;
}

TaskLists::Cheapest TaskLists::find_cheapest(int node, int list) {
  CostIndex* const existing = find_index(node, list);
  CostIndex& index = existing != nullptr ? *existing : create_index(node, list);
  for (std::size_t cost = 0; cost < index.heaps.size(); ++cost) {
    auto& heap = index.heaps[cost];
    while (!heap.empty() && !is_current(index, list, heap.front(), cost)) {
      std::pop_heap(heap.begin(), heap.end(), std::greater<>());
      heap.pop_back();
    }
    if (heap.empty()) continue;
    return {*items_[static_cast<std::size_t>(heap.front().target)].position,
            static_cast<int>(cost)};
  }
  return {tasks(list).front(), static_cast<int>(index.heaps.size())};
}

TaskLists::Cheapest TaskLists::find_cheapest_of_first(int node, int list, std::size_t tasks) const {
  Cheapest cheapest{.task = this->tasks(list).front()};
  for (const Task& task : this->tasks(list)) {
    if (tasks-- == 0 || cheapest.cost == 0) break;
    const int cost =
        context_.copies.transfer_cost(node, items_[static_cast<std::size_t>(task.target)].operands);
    if (cost < cheapest.cost) cheapest = {task, cost};
  }
  return cheapest;
}

TaskLists::CostIndex& TaskLists::create_index(int node, int list) {
  auto& indexes = indexes_[static_cast<std::size_t>(list)];
  indexes.resize(static_cast<std::size_t>(context_.platform.nodes()));
  auto& index = indexes[static_cast<std::size_t>(node)];
  index = std::make_unique<CostIndex>();
  index->costs.resize(items_.size());
  for (const Task& task : tasks(list)) insert(*index, node, task.target);
  return *index;
}

/// Inserts the task of `target` with its current cost. A heap with many obsolete entries is
/// rebuilt.
void TaskLists::insert(CostIndex& index, int node, std::int32_t target) {
  const Item& item = items_[static_cast<std::size_t>(target)];
  const auto cost = static_cast<std::size_t>(context_.copies.transfer_cost(node, item.operands));
  index.costs[static_cast<std::size_t>(target)] = static_cast<std::uint8_t>(cost);
  if (cost == index.heaps.size()) return;
  auto& heap = index.heaps[cost];
  if (heap.size() > 64 + 2 * tasks(item.list).size()) {
    std::erase_if(heap,
                  [&](const Entry& entry) { return !is_current(index, item.list, entry, cost); });
    std::make_heap(heap.begin(), heap.end(), std::greater<>());
  }
  heap.push_back({item.number, target});
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

bool TaskLists::is_current(const CostIndex& index, int list, const Entry& entry,
                           std::size_t cost) const {
  const Item& item = items_[static_cast<std::size_t>(entry.target)];
  return item.number == entry.number && item.list == list &&
         index.costs[static_cast<std::size_t>(entry.target)] == cost;
}

void TaskLists::on_copy_change(int node, Tile tile) {
  const TileNumbering& numbering = context_.graph.numbering();
  if (numbering.is_target(tile)) {
    const std::int32_t target = tile - numbering.target(0);
    update_cost(node, tile, target);
    if (context_.graph.is_auxiliary(target))
      update_cost(node, tile, context_.graph.cell_of(target));
    return;
  }
  const auto& readers = numbering.is_of_a(tile)
                            ? rows_[static_cast<std::size_t>(numbering.operand_row(tile))]
                            : columns_[static_cast<std::size_t>(numbering.operand_column(tile))];
  for (const std::int32_t target : readers) update_cost(node, tile, target);
}

/// Updates the cost of the ready task of `target` for `node` if it reads or writes `tile`.
void TaskLists::update_cost(int node, Tile tile, std::int32_t target) {
  const Item& item = items_[static_cast<std::size_t>(target)];
  if (item.number == kNone) return;
  CostIndex* const index = find_index(node, item.list);
  if (index == nullptr) return;
  const Operands& operands = item.operands;
  if (operands.target == tile || operands.first == tile || operands.second == tile) {
    insert(*index, node, target);
  }
}

}  // namespace starport::tiles
