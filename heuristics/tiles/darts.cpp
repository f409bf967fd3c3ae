#include "heuristics/tiles/darts.hpp"

#include <algorithm>
#include <iterator>

namespace starport::tiles {

Darts::Darts(const StrategyContext& context, bool cpus)
    : context_(context),
      cpus_(cpus),
      planned_(static_cast<std::size_t>(context.platform.nodes())),
      uses_(planned_.size() * static_cast<std::size_t>(context.graph.tiles())) {
  for (const Worker& worker : context.platform.workers) {
    if (worker.node != kHub) nodes_.push_back(worker.node);
  }
}

Darts::Absent Darts::absent_tiles(int node, const Task& task) const {
  const Operands operands = context_.graph.operands(task);
  Absent absent;
  for (const Tile tile : {operands.target, operands.first, operands.second}) {
    if (context_.copies.is_absent(node, tile) && !absent.contains(tile))
      absent.tiles[absent.count++] = tile;
  }
  return absent;
}

/// Returns true if each tile of the task is at the node, or a planned task will fetch it.
bool Darts::is_free(int node, const Task& task) const {
  const Absent absent = absent_tiles(node, task);
  return std::all_of(absent.begin(), absent.end(),
                     [&](Tile tile) { return uses_[index(node, tile)] > 0; });
}

void Darts::count_uses(int node, const Task& task, std::int64_t change) {
  const Operands operands = context_.graph.operands(task);
  for (const Tile tile : {operands.target, operands.first, operands.second})
    uses_[index(node, tile)] += change;
}

/// Plans the task behind those that need no transfer at a node where it is free. The nodes take
/// turns at being considered first.
std::optional<int> Darts::push(const Task& task, double /*now_s*/) {
  ++pushes_;
  for (std::size_t step = 0; step < nodes_.size(); ++step) {
    const int node = nodes_[(pushes_ + step) % nodes_.size()];
    if (!is_free(node, task)) continue;
    const auto waiting =
        std::find_if(planned(node).begin(), planned(node).end(),
                     [&](const Task& other) { return absent_tiles(node, other).count > 0; });
    planned(node).insert(waiting, task);
    count_uses(node, task, 1);
    return std::nullopt;
  }
  ready_.push_back(task);
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
  const auto last = std::find_if(ready_.rbegin(), ready_.rend(), [&](const Task& task) {
    return nodes_.empty() || absent_tiles(kHub, task).count == 0;
  });
  if (last == ready_.rend()) return std::nullopt;
  const Task task = *last;
  ready_.erase(std::next(last).base());
  return task;
}

/// Plans tasks at a node that has none: those that need no transfer, else those that the best tile
/// enables, else the first one that lacks this tile and one more, else the first. Of equal tiles
/// the one that is found first in the list of ready tasks is the best.
void Darts::choose(int node) {
  std::vector<Absent> absent;
  std::vector<Gain> gains(static_cast<std::size_t>(context_.graph.tiles()));
  std::size_t fewest = 3;
  for (const Task& task : ready_) {
    const Absent& own = absent.emplace_back(absent_tiles(node, task));
    fewest = std::min(fewest, own.count);
    for (const Tile tile : own) {
      Gain& gain = gains[static_cast<std::size_t>(tile)];
      gain.enabled += std::int64_t{own.count == 1};
      gain.nearly += std::int64_t{own.count == 2};
      ++gain.remaining;
    }
  }
  Tile best = -1;
  Gain most;
  for (const Absent& own : absent) {
    for (const Tile tile : own) {
      Gain& gain = gains[static_cast<std::size_t>(tile)];
      const int source = context_.copies.source(tile);
      if (gain.enabled > 0 && source < context_.platform.nodes()) {
        gain.tasks_per_s =
            static_cast<double>(gain.enabled) / transfer_time_s(context_.platform, source, node);
      }
      if (gain <= most) continue;
      best = tile;
      most = gain;
    }
  }
  auto task = ready_.begin();
  for (const Absent& own : absent) {
    const auto next = std::next(task);
    if (own.count == fewest && (fewest == 0 || fewest == 3 || own.contains(best))) {
      count_uses(node, *task, 1);
      planned(node).splice(planned(node).end(), ready_, task);
      if (fewest >= 2) return;
    }
    task = next;
  }
}

/// Tasks planned at a node that has lost one of their tiles are planned no longer.
void Darts::on_copy_change(int node, Tile tile) {
  if (uses_[index(node, tile)] == 0 || !context_.copies.is_absent(node, tile)) return;
  for (auto task = planned(node).begin(); task != planned(node).end();) {
    const auto next = std::next(task);
    if (absent_tiles(node, *task).contains(tile)) {
      count_uses(node, *task, -1);
      ready_.splice(ready_.end(), planned(node), task);
    }
    task = next;
  }
}

void Darts::on_worker_stop(int worker) {
  const int node = context_.platform.worker(worker).node;
  if (node == kHub) return;
  std::erase(nodes_, node);
  for (const Task& task : planned(node)) count_uses(node, task, -1);
  ready_.splice(ready_.end(), planned(node));
}

}  // namespace starport::tiles
