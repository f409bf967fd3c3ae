// What nodes take from the zones of others: the hub all along, a GPU once it has opened its own.
#include "heuristics/tiles/zone_growth.hpp"

#include <algorithm>
#include <limits>

namespace starport::tiles {

/// The hub's worker goes on with its tile if it can complete it; else from the end of the zone that
/// will be done last. It keeps nothing in reserve: it has no data to wait for.
std::optional<Task> ZoneGrowth::help(int worker) {
  Pace& pace = paces_[static_cast<std::size_t>(worker)];
  if (pace.given > 0) return std::nullopt;
  const bool goes_on =
      pace.cell && closed(*pace.cell) &&
      static_cast<double>(left_of(*pace.cell)) * pace.task_s <= finish_s(at(*pace.cell).owner);
  if (!goes_on) {
    const auto node = latest(kHub);
    pace.cell = node ? last_closed(zone(*node)) : std::nullopt;
  }
  if (pace.cell && helps(worker, *pace.cell)) return take(worker, *pace.cell);
  pace.cell = close_rest(kHub, pace.task_s, 0);
  if (!pace.cell) return std::nullopt;
  return take(worker, *pace.cell);
}

/// Whether the zone's GPU would not have to wait for it at the end.
bool ZoneGrowth::helps(int worker, Cell cell) const {
  const int owner = at(cell).owner;
  return zone(owner).stopped ||
         paces_[static_cast<std::size_t>(worker)].task_s <=
             static_cast<double>(zone(owner).left - left_of(cell) + 1) * task_s(owner);
}

/// A tile that is not open, of the GPU that will be done last, if it is done earlier here: with the
/// fewest new rows and columns, and of those the one it would open last.
std::optional<Task> ZoneGrowth::steal(int worker) {
  const int node = node_of(worker);
  if (node == kHub || zone(node).open >= parameters_.open_tiles) return std::nullopt;
  auto cell = cheapest_closed(node);
  if (!cell) cell = close_rest(node, std::max(task_s(node), tile_s(node)), 3 * tile_s(node));
  if (!cell) return std::nullopt;
  open(node, *cell);
  return take(worker, *cell);
}

std::optional<ZoneGrowth::Cell> ZoneGrowth::cheapest_closed(int node) {
  const auto victim = latest(node);
  if (!victim) return std::nullopt;
  const Zone& theirs = zone(*victim);
  std::optional<Cell> cheapest;
  for (std::size_t place = theirs.tail; place-- > theirs.head;) {
    const Cell cell = theirs.order[place];
    if (!closed(cell)) continue;
    if (!cheapest || new_lines(node, cell) < new_lines(node, *cheapest)) cheapest = cell;
  }
  const double step_s = std::max(task_s(node), new_lines(node, *cheapest) * tile_s(node));
  const double done_s =
      finish_s(node) + 3 * tile_s(node) + static_cast<double>(left_of(*cheapest)) * step_s;
  if (done_s > finish_s(*victim)) return std::nullopt;
  return cheapest;
}

/// Of the GPU that will be done last, the longest rest of an open tile that is done earlier at
/// another node. The hub brings home what has to go there in any case.
std::optional<ZoneGrowth::Cell> ZoneGrowth::close_rest(int node, double step_s, double fetch_s) {
  int victim = node == 1 ? 2 : 1;
  for (int other = victim + 1; other < scene_.platform.nodes(); ++other) {
    if (other != node && finish_s(other) > finish_s(victim)) victim = other;
  }
  if (victim >= scene_.platform.nodes()) return std::nullopt;
  const double from_s = node == kHub ? tile_s(victim) : finish_s(node) + fetch_s;
  std::optional<Cell> longest;
  for (const Ready& ready : zone(victim).ready) {
    if (from_s + static_cast<double>(left_of(ready.cell)) * step_s > finish_s(victim)) continue;
    if (!longest || left_of(ready.cell) > left_of(*longest)) longest = ready.cell;
  }
  if (longest) close(*longest);
  return longest;
}

/// Gives an open tile back to its zone, as the last one.
void ZoneGrowth::close(Cell cell) {
  Zone& of = zone(at(cell).owner);
  std::erase_if(of.ready, [&](const Ready& ready) { return ready.cell == cell; });
  at(cell).open = false;
  --of.open;
  of.order.insert(of.order.begin() + static_cast<std::ptrdiff_t>(of.tail), cell);
  ++of.tail;
}

std::optional<ZoneGrowth::Cell> ZoneGrowth::last_closed(Zone& zone) const {
  while (zone.head < zone.tail && settled(zone.order[zone.tail - 1])) --zone.tail;
  for (std::size_t place = zone.tail; place-- > zone.head;) {
    if (closed(zone.order[place])) return zone.order[place];
  }
  return std::nullopt;
}

/// The GPU that will be done last of those with a tile to give.
std::optional<int> ZoneGrowth::latest(int but) {
  std::optional<int> last;
  for (int node = 1; node < scene_.platform.nodes(); ++node) {
    if (node == but || (last && finish_s(node) <= finish_s(*last))) continue;
    if (last_closed(zone(node))) last = node;
  }
  return last;
}

double ZoneGrowth::finish_s(int node) const {
  if (zone(node).left == 0) return 0;
  if (zone(node).stopped) return std::numeric_limits<double>::infinity();
  return static_cast<double>(zone(node).left) * task_s(node);
}

int ZoneGrowth::new_lines(int node, Cell cell) const {
  return int{!zone(node).rows[static_cast<std::size_t>(cell / n_)]} +
         int{!zone(node).columns[static_cast<std::size_t>(cell % n_)]};
}

}  // namespace starport::tiles
