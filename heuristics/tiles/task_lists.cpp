#include "heuristics/tiles/task_lists.hpp"

#include <algorithm>
#include <functional>

namespace starport::tiles {
namespace {

/// Returns the transfer cost of ICPP'18, section 4.2.
std::int32_t count_absent(const Copies& copies, int node, const Task& /*task*/,
                          const Operands& operands) {
  return copies.transfer_cost(node, operands);
}

}  // namespace

TaskLists::TaskLists(const StrategyContext& context, int lists)
    : TaskLists(context, lists, {.compute = count_absent, .highest = 3}) {}

TaskLists::TaskLists(const StrategyContext& context, int lists, const Cost& cost)
    : context_(context),
      definition_(cost),
      lists_(static_cast<std::size_t>(lists)),
      items_(static_cast<std::size_t>(context.graph.targets())),
      indexes_(lists_.size(),
               std::vector<CostIndex>(static_cast<std::size_t>(context.platform.nodes()))),
      costs_(static_cast<std::size_t>(context.platform.nodes())),
      rows_(static_cast<std::size_t>(context.graph.numbering().r)),
      columns_(static_cast<std::size_t>(context.graph.numbering().s)) {
  const ProductSize& size = context.graph.numbering();
  const auto add = [](std::vector<Reader>& readers, std::int32_t target) {
    readers.push_back({.target = target});
    return static_cast<std::int32_t>(readers.size() - 1);
  };
  for (std::int32_t target = 0; target < context.graph.targets(); ++target) {
    const std::int32_t cell = context.graph.cell_of(target);
    item(target).row_place = add(rows_[static_cast<std::size_t>(size.row(cell))], target);
    item(target).column_place = add(columns_[static_cast<std::size_t>(size.column(cell))], target);
  }
}

bool TaskLists::are_empty() const {
  return std::all_of(lists_.begin(), lists_.end(), [](const auto& list) { return list.empty(); });
}

void TaskLists::push(int list, const Task& task) {
  auto& tasks = lists_[static_cast<std::size_t>(list)];
  Item& own = item(task.target);
  own.number = pushes_++;
  own.list = list;
  own.operands = context_.graph.operands(task);
  own.position = tasks.insert(tasks.end(), task);
  set_reads(task.target, own.operands.reduction ? kNone : task.k);
  for (int node = 0; node < context_.platform.nodes(); ++node) {
    if (index(node, list)) insert(node, task.target, compute_cost(node, own));
  }
}

Task TaskLists::remove(const Task& task) {
  const Task removed = task;  // `task` may refer to the element to erase
  Item& own = item(removed.target);
  lists_[static_cast<std::size_t>(own.list)].erase(own.position);
  own.number = kNone;
  set_reads(removed.target, kNone);
  return removed;
}

/// Records that the ready task of `target` reads the tiles of A and B with this k.
void TaskLists::set_reads(std::int32_t target, std::int32_t k) {
  const ProductSize& size = context_.graph.numbering();
  const std::int32_t cell = context_.graph.cell_of(target);
  rows_[static_cast<std::size_t>(size.row(cell))][static_cast<std::size_t>(item(target).row_place)]
      .k = k;
  columns_[static_cast<std::size_t>(size.column(cell))]
          [static_cast<std::size_t>(item(target).column_place)]
              .k = k;
}

TaskLists::Cheapest TaskLists::find_cheapest(int node, int list) {
  CostIndex& own = index(node, list);
  if (!own) {
    own.emplace();
    costs_[static_cast<std::size_t>(node)].resize(items_.size());
    for (const Task& task : tasks(list)) {
      insert(node, task.target, compute_cost(node, item(task.target)));
    }
  }
  auto& heap = *own;
  while (!heap.empty()) {
    const Entry top = heap.front();
    const std::int32_t cost =
        is_current(node, top) ? compute_cost(node, item(top.target)) : definition_.highest;
    if (cost == top.cost) return {*item(top.target).position, cost};
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
    if (is_current(node, top)) insert(node, top.target, cost);  // it has risen
  }
  return {tasks(list).front(), definition_.highest};
}

TaskLists::Cheapest TaskLists::find_cheapest_of_first(int node, int list, std::size_t tasks) const {
  Cheapest cheapest{.task = this->tasks(list).front()};
  for (const Task& task : this->tasks(list)) {
    if (tasks-- == 0 || cheapest.cost == 0) break;
    const int cost = context_.copies.transfer_cost(node, item(task.target).operands);
    if (cost < cheapest.cost) cheapest = {task, cost};
  }
  return cheapest;
}

/// Inserts the task of `target` with its cost into the index of its list. A heap with many obsolete
/// entries is built anew.
void TaskLists::insert(int node, std::int32_t target, std::int32_t cost) {
  last_cost(node, target) = cost;
  if (cost == definition_.highest) return;
  const Item& own = item(target);
  auto& heap = *index(node, own.list);
  heap.push_back({.cost = cost, .target = target, .number = own.number});
  if (heap.size() <= 64 + 2 * tasks(own.list).size()) {
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
    return;
  }
  std::erase_if(heap, [&](const Entry& entry) { return !is_current(node, entry); });
  std::sort(heap.begin(), heap.end(), [](const Entry& a, const Entry& b) { return b > a; });
  const auto same = [](const Entry& a, const Entry& b) { return a.number == b.number; };
  heap.erase(std::unique(heap.begin(), heap.end(), same), heap.end());
}

bool TaskLists::is_current(int node, const Entry& entry) {
  return item(entry.target).number == entry.number && last_cost(node, entry.target) == entry.cost;
}

void TaskLists::on_copy_change(int node, Tile tile) {
  if (costs_[static_cast<std::size_t>(node)].empty()) return;
  const TileNumbering& numbering = context_.graph.numbering();
  if (numbering.is_target(tile)) {
    const std::int32_t target = tile - numbering.target(0);
    update_cost(node, target);
    if (context_.graph.is_auxiliary(target)) update_cost(node, context_.graph.cell_of(target));
    return;
  }
  const std::int32_t row = numbering.operand_row(tile);
  const std::int32_t column = numbering.operand_column(tile);
  const bool is_of_a = numbering.is_of_a(tile);
  const std::int32_t k = is_of_a ? column : row;
  for (const Reader& reader : is_of_a ? rows_[static_cast<std::size_t>(row)]
                                      : columns_[static_cast<std::size_t>(column)]) {
    if (reader.k == k) update_cost(node, reader.target);
  }
}

/// Updates the cost of the ready task of `target`, if any, for `node`. A cost that rises is updated
/// when the task comes to the top.
void TaskLists::update_cost(int node, std::int32_t target) {
  const Item& own = item(target);
  if (own.number == kNone || !index(node, own.list)) return;
  const std::int32_t cost = compute_cost(node, own);
  if (cost < last_cost(node, target)) insert(node, target, cost);
}

}  // namespace starport::tiles
