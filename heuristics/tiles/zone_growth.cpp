#include "heuristics/tiles/zone_growth.hpp"

#include "heuristics/tiles/zones.hpp"
#include "sim/platform/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace starport::tiles {
namespace {

constexpr double kWeightOfLast = 0.125;  // of the last task in the mean of what tasks take
// What is measured is rounded to this part of what was known: engines whose dates differ in the
// last digits then decide alike.
constexpr double kPrecision = 1e-3;

}  // namespace

ZoneGrowth::ZoneGrowth(const Scene& scene) : ZoneGrowth(scene, Parameters{}) {}

ZoneGrowth::ZoneGrowth(const Scene& scene, const Parameters& parameters)
    : scene_(scene),
      parameters_(parameters),
      n_(scene.work.tiling().n),
      zones_(static_cast<std::size_t>(scene.platform.nodes())),
      workers_(zones_.size()),
      tile_s_(zones_.size()),
      cells_(static_cast<std::size_t>(scene.work.tiling().square())) {
  std::uint64_t resource = 0;
  for (const Worker& worker : scene.platform.workers) {
    workers_[static_cast<std::size_t>(worker.node)].push_back(static_cast<int>(paces_.size()));
    const double task_s = known_s(worker.update_s, resource++);
    paces_.push_back({.task_s = task_s, .unit_s = kPrecision * task_s});
  }
  for (int node = 1; node < scene.platform.nodes(); ++node) {
    tile_s_[static_cast<std::size_t>(node)] =
        known_s(hop_s(scene.platform, kHub, node), resource++);
  }
  divide();
  for (int node = 1; node < scene.platform.nodes(); ++node) open_square(node);
}

/// What is known of a duration before the start.
double ZoneGrowth::known_s(double nominal_s, std::uint64_t resource) const {
  const double draw = unit_interval(nth_of_sequence(mixed(scene_.seed), resource));
  return nominal_s * (1 + parameters_.uncertainty * (2 * draw - 1));
}

/// Among the GPUs; all is the hub's where there is none.
void ZoneGrowth::divide() {
  std::vector<double> speeds(zones_.size(), 1);
  for (int node = 1; node < scene_.platform.nodes(); ++node) {
    speeds[kHub] = 0;
    speeds[static_cast<std::size_t>(node)] = 1 / task_s(node);
  }
  auto orders = zones_from_corners(n_, speeds, parameters_.uncertainty);
  for (std::size_t node = 0; node < zones_.size(); ++node) {
    Zone& zone = zones_[node];
    zone.order = std::move(orders[node]);
    zone.tail = zone.order.size();
    zone.left = static_cast<std::int64_t>(zone.tail) * n_;
    zone.rows.resize(static_cast<std::size_t>(n_));
    zone.columns.resize(static_cast<std::size_t>(n_));
    for (const Cell cell : zone.order) at(cell).owner = static_cast<std::int32_t>(node);
  }
}

/// The first tiles are open together: as many as it takes for a step in k, b + b tiles for b.b
/// tasks, to be sent faster than it is computed.
void ZoneGrowth::open_square(int node) {
  Zone& own = zone(node);
  const double side = std::max(2.0, std::ceil(2 * tile_s(node) / task_s(node)));
  const auto tiles =
      static_cast<std::size_t>(std::min(side * side, static_cast<double>(own.order.size()) / 2));
  for (std::size_t place = 0; place < tiles; ++place) {
    const Cell cell = own.order[place];
    at(cell).shell = static_cast<std::int32_t>(std::sqrt(static_cast<double>(place)));
    open(node, cell);
    make_ready(cell);
  }
}

/// Of the tiles that are open at once one task each in turn; of the first ones in cubes, which
/// makes the most of the first tiles sent.
void ZoneGrowth::make_ready(Cell cell) {
  const Progress& of = at(cell);
  const std::int64_t rank = of.shell >= 0 ? std::max(of.shell, of.k) - n_ : ++pushes_;
  zone(of.owner).ready.push_back({.rank = rank, .cell = cell});
}

std::optional<int> ZoneGrowth::push(const Task& task, double now_s) {
  now_s_ = now_s;
  Progress& cell = at(task.target);
  cell.k = task.k;
  cell.ready = true;
  if (!cell.open || (task.k == 0 && !zone(cell.owner).stopped)) return std::nullopt;
  if (zone(cell.owner).stopped) {
    close(task.target);
  } else {
    make_ready(task.target);
  }
  return std::nullopt;
}

std::optional<Task> ZoneGrowth::pop(int worker) {
  const int node = node_of(worker);
  if (node == kHub && zones_.size() > 1) return help(worker);
  Zone& own = zone(node);
  const auto next = next_ready(node);
  if (next && (own.open >= parameters_.open_tiles || (fetching(node) && cost(node, *next) == 0))) {
    return take_ready(worker, *next);
  }
  if (const auto cell = first_closed(own)) {
    open(node, *cell);
    return take(worker, *cell);
  }
  if (!next) return std::nullopt;
  return take_ready(worker, *next);
}

/// While tiles are on their way, a task that needs no more; else one that needs one more, so that
/// the link is never idle and never ahead.
std::optional<ZoneGrowth::Cell> ZoneGrowth::next_ready(int node) const {
  const auto place = [&](const Ready& ready) {
    const int tiles = cost(node, ready.cell);
    return std::tuple(fetching(node) == (tiles > 0), ready.rank, tiles);
  };
  const auto& ready = zone(node).ready;
  const auto next =
      std::min_element(ready.begin(), ready.end(),
                       [&](const Ready& a, const Ready& b) { return place(a) < place(b); });
  if (next == ready.end()) return std::nullopt;
  return next->cell;
}

/// Whether the last tile that a task of the node has asked for is on its way.
bool ZoneGrowth::fetching(int node) const {
  const auto& tile = zone(node).last_request;
  return tile && scene_.copies.at(node, *tile) == Copy::in_flight;
}

Task ZoneGrowth::take_ready(int worker, Cell cell) {
  auto& ready = zone(node_of(worker)).ready;
  ready.erase(std::find_if(ready.begin(), ready.end(),
                           [&](const Ready& other) { return other.cell == cell; }));
  return take(worker, cell);
}

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

void ZoneGrowth::open(int node, Cell cell) {
  Zone& own = zone(node);
  Progress& of = at(cell);
  zone(of.owner).left -= left_of(cell);
  own.left += left_of(cell);
  ++own.open;
  own.rows[static_cast<std::size_t>(cell / n_)] = true;
  own.columns[static_cast<std::size_t>(cell % n_)] = true;
  of.owner = node;
  of.open = true;
}

Task ZoneGrowth::take(int worker, Cell cell) {
  Pace& pace = paces_[static_cast<std::size_t>(worker)];
  if (pace.given++ == 0) pace.since_s = now_s_;
  at(cell).ready = false;
  const int node = node_of(worker);
  const Needs needs = scene_.work.needs({.target = cell, .k = at(cell).k});
  for (const Tile tile : {needs.target, needs.first, needs.second}) {
    if (scene_.copies.absent(node, tile)) zone(node).last_request = tile;
  }
  return {.target = cell, .k = at(cell).k};
}

void ZoneGrowth::end(int worker, const Task& task, double now_s) {
  now_s_ = now_s;
  Pace& pace = paces_[static_cast<std::size_t>(worker)];
  const double weight = std::max(kWeightOfLast, 1 / static_cast<double>(++pace.ended));
  const double took_s = std::round((now_s - pace.since_s) / pace.unit_s) * pace.unit_s;
  pace.task_s += weight * (took_s - pace.task_s);
  pace.since_s = now_s;
  --pace.given;
  Progress& cell = at(task.target);
  Zone& of = zone(cell.owner);
  --of.left;
  if (task.k + 1 < n_) return;
  cell.k = n_;
  if (cell.open) --of.open;
}

/// What its node had open is anybody's.
void ZoneGrowth::stop(int worker) {
  paces_[static_cast<std::size_t>(worker)].stopped = true;
  const int node = node_of(worker);
  const auto& workers = workers_[static_cast<std::size_t>(node)];
  zone(node).stopped = std::all_of(workers.begin(), workers.end(), [&](int other) {
    return paces_[static_cast<std::size_t>(other)].stopped;
  });
  while (zone(node).stopped && !zone(node).ready.empty()) close(zone(node).ready.back().cell);
}

bool ZoneGrowth::closed(Cell cell) const {
  return at(cell).ready && !at(cell).open && at(cell).k < n_;
}

/// Opened or done: no longer the zone's to give.
bool ZoneGrowth::settled(Cell cell) const { return at(cell).open || at(cell).k == n_; }

std::optional<ZoneGrowth::Cell> ZoneGrowth::first_closed(Zone& zone) const {
  while (zone.head < zone.tail && settled(zone.order[zone.head])) ++zone.head;
  for (std::size_t place = zone.head; place < zone.tail; ++place) {
    if (closed(zone.order[place])) return zone.order[place];
  }
  return std::nullopt;
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

double ZoneGrowth::task_s(int node) const {
  double per_s = 0;
  for (const int worker : workers_[static_cast<std::size_t>(node)]) {
    per_s += 1 / paces_[static_cast<std::size_t>(worker)].task_s;
  }
  return 1 / per_s;
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

int ZoneGrowth::cost(int node, Cell cell) const {
  return scene_.copies.cost(node, scene_.work.needs({.target = cell, .k = at(cell).k}));
}

}  // namespace starport::tiles
