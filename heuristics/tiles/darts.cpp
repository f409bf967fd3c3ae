#include "heuristics/tiles/darts.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

namespace starport::tiles {

Darts::Darts(const StrategyContext& context, bool cpus)
    : context_(context),
      cpus_(cpus),
      planned_(static_cast<std::size_t>(context.platform.nodes())),
      uses_(planned_.size() * static_cast<std::size_t>(context.graph.tiles())),
      ready_(static_cast<std::size_t>(context.graph.targets())),
      users_(static_cast<std::size_t>(context.graph.numbering().target(0))),
      views_(planned_.size()) {
  for (const Worker& worker : context.platform.workers) {
    if (worker.node != kHub) nodes_.push_back(worker.node);
  }
  for (int node = cpus_ ? kHub : 1; node < context.platform.nodes(); ++node) {
    view(node).absent.resize(ready_.size(), kNotReady);
    view(node).enabled.resize(users_.size());
    view(node).nearly.resize(users_.size());
    if (node == kHub) continue;  // plans no tasks
    view(node).places.resize(users_.size(), view(node).gains.end());
  }
}

Darts::Absent Darts::find_absent(int node, const Operands& operands) const {
  const auto bit = [&](Tile tile, Absent operand) {
    return context_.copies.is_absent(node, tile) ? int{operand} : 0;
  };
  return static_cast<Absent>(bit(operands.target, kTarget) | bit(operands.first, kFirst) |
                             bit(operands.second, kSecond));
}

/// Returns true if each tile of the task is at the node, or a planned task will fetch it.
bool Darts::is_free(int node, const Task& task) const {
  const Operands operands = context_.graph.operands(task);
  return std::ranges::all_of(
      std::array{operands.target, operands.first, operands.second}, [&](Tile tile) {
        return !context_.copies.is_absent(node, tile) || uses_[index(node, tile)] > 0;
      });
}

void Darts::count_uses(int node, const Task& task, std::int64_t change) {
  const Operands operands = context_.graph.operands(task);
  for (const Tile tile : {operands.target, operands.first, operands.second})
    uses_[index(node, tile)] += change;
}

void Darts::add_ready(const Task& task) {
  const Operands operands = context_.graph.operands(task);
  const Ready& added = ready_[static_cast<std::size_t>(task.target)] = {
      .number = additions_++, .k = task.k, .source = context_.copies.source(operands.target)};
  for (Numbered* tasks : {&order_, &users(operands.first), &users(operands.second)})
    tasks->emplace_hint(tasks->end(), added.number, task.target);
  for (int node = 0; node < context_.platform.nodes(); ++node)
    set_absent(node, task.target, find_absent(node, operands));
  mark_users_changed(operands);
}

Task Darts::remove_ready(std::int32_t target) {
  const Ready& removed = ready_[static_cast<std::size_t>(target)];
  const Task task{.target = target, .k = removed.k};
  const Operands operands = context_.graph.operands(task);
  for (int node = 0; node < context_.platform.nodes(); ++node) set_absent(node, target, kNotReady);
  for (Numbered* tasks : {&order_, &users(operands.first), &users(operands.second)})
    tasks->erase(removed.number);
  mark_users_changed(operands);
  return task;
}

/// Records which tiles the ready task of `target` lacks at a node.
void Darts::set_absent(int node, std::int32_t target, Absent absent) {
  if (view(node).absent.empty()) return;
  Absent& current = view(node).absent[static_cast<std::size_t>(target)];
  if (current == absent) return;
  if (current != kNotReady) count(node, target, current, -1);
  current = absent;
  if (current != kNotReady) count(node, target, current, 1);
}

/// Adds the ready task of `target`, which lacks the tiles `absent` at the node, to the counts of
/// the node (`change` 1), or removes it from them (-1).
void Darts::count(int node, std::int32_t target, Absent absent, std::int32_t change) {
  View& own = view(node);
  const Ready& ready = ready_[static_cast<std::size_t>(target)];
  const auto lacking = static_cast<std::size_t>(std::popcount(absent));
  own.tasks[lacking] += change;
  if (absent == 0 || absent == kTarget) {
    double fetch_s = 0;
    if (absent == kTarget) {
      fetch_s = ready.source < context_.platform.nodes()
                    ? transfer_time_s(context_.platform, ready.source, node)
                    : std::numeric_limits<double>::infinity();
    }
    auto& places = absent == 0 ? own.complete : own.lack_target;
    const Place place{fetch_s, ready.number, target};
    if (change > 0) {
      places.insert(place);
    } else {
      places.erase(place);
    }
  } else if (lacking < 3) {
    const Operands operands = context_.graph.operands({.target = target, .k = ready.k});
    auto& tasks = lacking == 1 ? own.enabled : own.nearly;
    for (const auto& [tile, bit] :
         {std::pair(operands.first, kFirst), std::pair(operands.second, kSecond)}) {
      if ((absent & bit) == 0) continue;
      tasks[static_cast<std::size_t>(tile)] += change;
      mark_changed(own, tile);
    }
  }
}

/// Plans the task behind those that need no transfer at a node where it is free. The nodes take
/// turns at being considered first.
std::optional<int> Darts::push(const Task& task, double /*now_s*/) {
  ++pushes_;
  for (std::size_t step = 0; step < nodes_.size(); ++step) {
    const int node = nodes_[(pushes_ + step) % nodes_.size()];
    if (!is_free(node, task)) continue;
    const auto waiting = std::ranges::find_if(planned(node), [&](const Task& other) {
      return find_absent(node, context_.graph.operands(other)) != 0;
    });
    planned(node).insert(waiting, task);
    count_uses(node, task, 1);
    return std::nullopt;
  }
  add_ready(task);
  return std::nullopt;
}

std::optional<Task> Darts::pop(int worker) {
  const int node = context_.platform.worker(worker).node;
  if (node == kHub) return cpus_ || nodes_.empty() ? pop_last() : std::nullopt;
  if (planned(node).empty()) choose(node);
  if (planned(node).empty()) return std::nullopt;
  const Task task = planned(node).front();
  planned(node).pop_front();
  count_uses(node, task, -1);
  return task;
}

/// Takes the ready task that came last among those that need no transfer to main memory, or the
/// last of all if there is no GPU left.
std::optional<Task> Darts::pop_last() {
  if (nodes_.empty() && !order_.empty()) return remove_ready(order_.rbegin()->second);
  const auto& complete = view(kHub).complete;
  if (complete.empty()) return std::nullopt;
  return remove_ready(std::get<std::int32_t>(*complete.rbegin()));
}

/// Plans tasks at a node that has none: those that need no transfer, else those that the best tile
/// enables, else the first one that lacks this tile and one more, else the first.
void Darts::choose(int node) {
  View& own = view(node);
  const auto fewest = std::ranges::find_if(own.tasks, [](auto tasks) { return tasks > 0; });
  if (fewest == own.tasks.end()) return;
  const auto lacking = fewest - own.tasks.begin();
  if (lacking == 3) {
    plan(node, order_.begin()->second);
    return;
  }
  while (lacking == 0 && !own.complete.empty())
    plan(node, std::get<std::int32_t>(*own.complete.begin()));
  if (lacking == 0) return;

  update_gains(own);
  const Tile best = own.gains.empty() ? -1 : -std::get<4>(*own.gains.rbegin());
  if (lacking == 1 && !own.lack_target.empty()) {
    const auto [fetch_s, number, target] = *own.lack_target.begin();
    // Tasks enabled per second of transfer, tasks enabled, tasks that lack one tile more, ready
    // tasks that use the tile, and the number of the first of these: the greatest is the best.
    using GainPerTime = std::tuple<double, std::int64_t, std::int64_t, std::size_t, std::int64_t>;
    const GainPerTime by_target{1 / fetch_s, 1, 0, 1, -number};
    GainPerTime by_operand{};
    if (best >= 0) {
      const std::int32_t enabled = own.enabled[static_cast<std::size_t>(best)];
      by_operand = {enabled / transfer_time_s(context_.platform, kHub, node), enabled,
                    own.nearly[static_cast<std::size_t>(best)], users(best).size(),
                    -users(best).begin()->first};
    }
    if (by_target > by_operand) {
      plan(node, target);
      return;
    }
  }
  std::vector<std::int32_t> enabled;
  for (const auto& [number, target] : users(best)) {
    if (std::popcount(own.absent[static_cast<std::size_t>(target)]) != lacking) continue;
    enabled.push_back(target);
    if (lacking == 2) break;
  }
  for (const std::int32_t target : enabled) plan(node, target);
}

void Darts::plan(int node, std::int32_t target) {
  planned(node).push_back(remove_ready(target));
  count_uses(node, planned(node).back(), 1);
}

/// Notes that the gain of a tile of A or B may have changed at the node of `view`.
void Darts::mark_changed(View& view, Tile tile) {
  if (!view.places.empty()) view.changed.push_back(tile);
}

/// Notes that other ready tasks use the tiles of A and B of a task.
void Darts::mark_users_changed(const Operands& operands) {
  for (View& own : views_) {
    for (const Tile tile : {operands.first, operands.second}) {
      const auto place = static_cast<std::size_t>(tile);
      if (!own.places.empty() && own.places[place] != own.gains.end()) mark_changed(own, tile);
    }
  }
}

/// Sorts the tiles of A and B whose gains have changed.
void Darts::update_gains(View& view) {
  for (const Tile tile : view.changed) {
    const auto place = static_cast<std::size_t>(tile);
    GainIterator& gain = view.places[place];
    if (gain != view.gains.end()) view.gains.erase(std::exchange(gain, view.gains.end()));
    if (view.enabled[place] == 0 && view.nearly[place] == 0) continue;
    gain = view.gains
               .emplace(view.enabled[place], view.nearly[place], users(tile).size(),
                        -users(tile).begin()->first, -tile)
               .first;
  }
  view.changed.clear();
}

/// Updates what the node counts of the tasks that use the tile. Tasks planned at a node that has
/// lost one of their tiles are planned no longer.
void Darts::on_copy_change(int node, Tile tile) {
  const auto update = [&](std::int32_t target) {
    const Ready& ready = ready_[static_cast<std::size_t>(target)];
    set_absent(node, target,
               find_absent(node, context_.graph.operands({.target = target, .k = ready.k})));
  };
  const TileNumbering& numbering = context_.graph.numbering();
  if (!numbering.is_target(tile)) {
    if (!view(node).absent.empty()) {
      for (const auto& [number, target] : users(tile)) update(target);
    }
  } else if (!view(node).absent.empty() &&
             view(node).absent[static_cast<std::size_t>(tile - numbering.target(0))] != kNotReady) {
    update(tile - numbering.target(0));
  }
  update_source(tile);
  if (uses_[index(node, tile)] == 0 || !context_.copies.is_absent(node, tile)) return;
  for (auto task = planned(node).begin(); task != planned(node).end();) {
    const auto next = std::next(task);
    const Operands operands = context_.graph.operands(*task);
    if (tile == operands.target || tile == operands.first || tile == operands.second) {
      count_uses(node, *task, -1);
      add_ready(*task);
      planned(node).erase(task);
    }
    task = next;
  }
}

/// Updates the node from which the tile of C of a ready task would be fetched.
void Darts::update_source(Tile tile) {
  const TileNumbering& numbering = context_.graph.numbering();
  if (!numbering.is_target(tile)) return;
  const std::int32_t target = tile - numbering.target(0);
  Ready& ready = ready_[static_cast<std::size_t>(target)];
  const int source = context_.copies.source(tile);
  if (source == ready.source) return;
  std::vector<Absent> absent;
  for (View& own : views_) {
    absent.push_back(own.absent.empty() ? kNotReady : own.absent[static_cast<std::size_t>(target)]);
  }
  for (int node = 0; node < context_.platform.nodes(); ++node) set_absent(node, target, kNotReady);
  ready.source = source;
  for (int node = 0; node < context_.platform.nodes(); ++node)
    set_absent(node, target, absent[static_cast<std::size_t>(node)]);
}

void Darts::on_worker_stop(int worker) {
  const int node = context_.platform.worker(worker).node;
  if (node == kHub) return;
  std::erase(nodes_, node);
  for (const Task& task : std::exchange(planned(node), {})) {
    count_uses(node, task, -1);
    add_ready(task);
  }
}

}  // namespace starport::tiles
