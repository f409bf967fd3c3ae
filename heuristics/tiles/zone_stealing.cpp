// ZoneGrowth's work stealing: the hub takes tasks from the zones of GPUs at any time, a GPU once it
// has opened all tiles of its own zone.
#include "heuristics/tiles/zone_growth.hpp"

#include <algorithm>
#include <limits>

namespace starport::tiles {

/// Returns the next task for an idle worker of the hub: of the tile it worked on last if it can
/// finish that in time, otherwise of the last unopened tile of the zone expected to finish last.
/// Assigns no tasks ahead, since the hub never waits for data.
std::optional<Task> ZoneGrowth::assign_to_hub(int worker) {
  WorkerState& own = worker_states_[static_cast<std::size_t>(worker)];
  if (own.assigned > 0) return std::nullopt;
  const bool can_continue = own.cell && is_unopened(*own.cell) &&
                            static_cast<double>(remaining_tasks(*own.cell)) * own.task_s <=
                                finish_s(state(*own.cell).owner);
  if (!can_continue) {
    const auto node = find_latest_zone(kHub);
    own.cell = node ? last_unopened(zone(*node)) : std::nullopt;
  }
  if (own.cell && saves_time(worker, *own.cell)) return take(worker, *own.cell);
  own.cell = close_longest(kHub, own.task_s, 0);
  if (!own.cell) return std::nullopt;
  return take(worker, *own.cell);
}

/// True if `worker` can execute a task of `cell` without making the zone's GPU wait at the end.
bool ZoneGrowth::saves_time(int worker, Cell cell) const {
  const int owner = state(cell).owner;
  return zone(owner).stopped ||
         worker_states_[static_cast<std::size_t>(worker)].task_s <=
             static_cast<double>(zone(owner).remaining_tasks - remaining_tasks(cell) + 1) *
                 task_s(owner);
}

/// Steals an unopened tile, or the rest of an open one, from the GPU expected to finish last, if
/// this GPU is expected to finish the tile earlier.
std::optional<Task> ZoneGrowth::steal(int worker) {
  const int node = node_of(worker);
  if (node == kHub || zone(node).open_tiles >= parameters_.open_tiles) return std::nullopt;
  auto cell = find_cheapest_unopened(node);
  if (!cell) cell = close_longest(node, std::max(task_s(node), tile_s(node)), 3 * tile_s(node));
  if (!cell) return std::nullopt;
  open(node, *cell);
  return take(worker, *cell);
}

/// Returns the unopened tile that needs the fewest new rows of A and columns of B, of the GPU
/// expected to finish last; on ties the one it would open last. Empty if that GPU would finish it
/// earlier.
std::optional<ZoneGrowth::Cell> ZoneGrowth::find_cheapest_unopened(int node) {
  const auto victim = find_latest_zone(node);
  if (!victim) return std::nullopt;
  const Zone& source = zone(*victim);
  std::optional<Cell> cheapest;
  for (std::size_t place = source.tail; place-- > source.head;) {
    const Cell cell = source.order[place];
    if (!is_unopened(cell)) continue;
    if (!cheapest || count_new_lines(node, cell) < count_new_lines(node, *cheapest))
      cheapest = cell;
  }
  const double step_s = std::max(task_s(node), count_new_lines(node, *cheapest) * tile_s(node));
  const double done_s =
      finish_s(node) + 3 * tile_s(node) + static_cast<double>(remaining_tasks(*cheapest)) * step_s;
  if (done_s > finish_s(*victim)) return std::nullopt;
  return cheapest;
}

/// Closes and returns the open tile with most remaining tasks of the GPU expected to finish last,
/// among those that `node` is expected to finish earlier. `step_s` is the time per task at `node`,
/// `fetch_s` the time to fetch the operands. For the hub only the tile of C is fetched, which has
/// to return there in any case.
std::optional<ZoneGrowth::Cell> ZoneGrowth::close_longest(int node, double step_s, double fetch_s) {
  int victim = node == 1 ? 2 : 1;
  for (int other = victim + 1; other < context_.platform.nodes(); ++other) {
    if (other != node && finish_s(other) > finish_s(victim)) victim = other;
  }
  if (victim >= context_.platform.nodes()) return std::nullopt;
  const double from_s = node == kHub ? tile_s(victim) : finish_s(node) + fetch_s;
  std::optional<Cell> longest;
  for (const ReadyCell& ready : zone(victim).ready) {
    if (from_s + static_cast<double>(remaining_tasks(ready.cell)) * step_s > finish_s(victim))
      continue;
    if (!longest || remaining_tasks(ready.cell) > remaining_tasks(*longest)) longest = ready.cell;
  }
  if (longest) close(*longest);
  return longest;
}

/// Makes an open tile the last unopened tile of its zone.
void ZoneGrowth::close(Cell cell) {
  Zone& owner = zone(state(cell).owner);
  std::erase_if(owner.ready, [&](const ReadyCell& ready) { return ready.cell == cell; });
  state(cell).open = false;
  --owner.open_tiles;
  owner.order.insert(owner.order.begin() + static_cast<std::ptrdiff_t>(owner.tail), cell);
  ++owner.tail;
}

std::optional<ZoneGrowth::Cell> ZoneGrowth::last_unopened(Zone& zone) const {
  while (zone.head < zone.tail && is_open_or_finished(zone.order[zone.tail - 1])) --zone.tail;
  for (std::size_t place = zone.tail; place-- > zone.head;) {
    if (is_unopened(zone.order[place])) return zone.order[place];
  }
  return std::nullopt;
}

/// Returns the GPU, except `excluded`, that is expected to finish last among those with unopened
/// tiles.
std::optional<int> ZoneGrowth::find_latest_zone(int excluded) {
  std::optional<int> last;
  for (int node = 1; node < context_.platform.nodes(); ++node) {
    if (node == excluded || (last && finish_s(node) <= finish_s(*last))) continue;
    if (last_unopened(zone(node))) last = node;
  }
  return last;
}

double ZoneGrowth::finish_s(int node) const {
  if (zone(node).remaining_tasks == 0) return 0;
  if (zone(node).stopped) return std::numeric_limits<double>::infinity();
  return static_cast<double>(zone(node).remaining_tasks) * task_s(node);
}

int ZoneGrowth::count_new_lines(int node, Cell cell) const {
  return int{!zone(node).rows[static_cast<std::size_t>(cell / n_)]} +
         int{!zone(node).columns[static_cast<std::size_t>(cell % n_)]};
}

}  // namespace starport::tiles
