#include "heuristics/tiles/zone_growth.hpp"

#include "heuristics/tiles/zones.hpp"
#include "sim/platform/random.hpp"

#include <algorithm>
#include <cmath>
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

double ZoneGrowth::task_s(int node) const {
  double per_s = 0;
  for (const int worker : workers_[static_cast<std::size_t>(node)]) {
    per_s += 1 / paces_[static_cast<std::size_t>(worker)].task_s;
  }
  return 1 / per_s;
}

int ZoneGrowth::cost(int node, Cell cell) const {
  return scene_.copies.cost(node, scene_.work.needs({.target = cell, .k = at(cell).k}));
}

}  // namespace starport::tiles
