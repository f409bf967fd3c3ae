#include "heuristics/tiles/zone_growth.hpp"

#include "sim/platform/random.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace starport::tiles {
namespace {

// Weight of the last task in the exponential moving average of a worker's task times.
constexpr double kLastTaskWeight = 0.125;
// Measured times are rounded to this fraction of the assumed time, so that engines whose dates
// differ in the last digits make the same decisions.
constexpr double kMeasurementPrecision = 1e-3;

}  // namespace

ZoneGrowth::ZoneGrowth(const StrategyContext& context) : ZoneGrowth(context, Parameters{}) {}

ZoneGrowth::ZoneGrowth(const StrategyContext& context, const Parameters& parameters)
    : context_(context),
      parameters_(parameters),
      n_(context.graph.numbering().n),
      zones_(static_cast<std::size_t>(context.platform.nodes())),
      workers_(zones_.size()),
      tile_s_(zones_.size()),
      cells_(static_cast<std::size_t>(context.graph.numbering().square())) {
  std::uint64_t resource = 0;
  for (const Worker& worker : context.platform.workers) {
    workers_[static_cast<std::size_t>(worker.node)].push_back(
        static_cast<int>(worker_states_.size()));
    const double task_s = draw_assumed_s(worker.update_s, resource++);
    worker_states_.push_back({.task_s = task_s, .unit_s = kMeasurementPrecision * task_s});
  }
  for (int node = 1; node < context.platform.nodes(); ++node) {
    tile_s_[static_cast<std::size_t>(node)] =
        draw_assumed_s(transfer_time_s(context.platform, kHub, node), resource++);
  }
  divide_tiles();
  for (int node = 1; node < context.platform.nodes(); ++node) open_first_square(node);
}

/// Returns the duration assumed before the start for worker or link number `resource`: the nominal
/// one with a relative error of up to `uncertainty`.
double ZoneGrowth::draw_assumed_s(double nominal_s, std::uint64_t resource) const {
  const double draw = to_unit_interval(splitmix64_at(mix_bits(context_.seed), resource));
  return nominal_s * (1 + parameters_.uncertainty * (2 * draw - 1));
}

/// Divides C among the GPUs, or gives it to the hub if there is none.
void ZoneGrowth::divide_tiles() {
  std::vector<double> speeds(zones_.size(), 1);
  for (int node = 1; node < context_.platform.nodes(); ++node) {
    speeds[kHub] = 0;
    speeds[static_cast<std::size_t>(node)] = 1 / task_s(node);
  }
  auto cells = make_corner_zones(n_, speeds, parameters_.uncertainty);
  for (std::size_t node = 0; node < zones_.size(); ++node) {
    Zone& zone = zones_[node];
    zone.order = std::move(cells[node]);
    zone.tail = zone.order.size();
    zone.remaining_tasks = static_cast<std::int64_t>(zone.tail) * n_;
    zone.rows.resize(static_cast<std::size_t>(n_));
    zone.columns.resize(static_cast<std::size_t>(n_));
    for (const Cell cell : zone.order) state(cell).owner = static_cast<std::int32_t>(node);
  }
}

/// Opens the first tiles of a zone together. Their number b x b is chosen such that the 2 b tiles
/// of a step in k are sent faster than its b x b tasks are computed.
void ZoneGrowth::open_first_square(int node) {
  Zone& own = zone(node);
  const double side = std::max(2.0, std::ceil(2 * tile_s(node) / task_s(node)));
  const auto tiles =
      static_cast<std::size_t>(std::min(side * side, static_cast<double>(own.order.size()) / 2));
  for (std::size_t place = 0; place < tiles; ++place) {
    const Cell cell = own.order[place];
    state(cell).shell = static_cast<std::int32_t>(std::sqrt(static_cast<double>(place)));
    open(node, cell);
    mark_ready(cell);
  }
}

/// Appends an open tile to the ready list of its zone. Open tiles take turns, one task each. The
/// tiles opened at the start go first, in growing cubes of (row, column, k), which reuses the tiles
/// of A and B that arrive first.
void ZoneGrowth::mark_ready(Cell cell) {
  const CellState& own = state(cell);
  const std::int64_t rank = own.shell >= 0 ? std::max(own.shell, own.k) - n_ : ++pushes_;
  zone(own.owner).ready.push_back({.rank = rank, .cell = cell});
}

std::optional<int> ZoneGrowth::push(const Task& task, double now_s) {
  now_s_ = now_s;
  CellState& cell = state(task.target);
  cell.k = task.k;
  cell.ready = true;
  if (!cell.open || (task.k == 0 && !zone(cell.owner).stopped)) return std::nullopt;
  if (zone(cell.owner).stopped) {
    close(task.target);
  } else {
    mark_ready(task.target);
  }
  return std::nullopt;
}

std::optional<Task> ZoneGrowth::pop(int worker) {
  const int node = node_of(worker);
  if (node == kHub && zones_.size() > 1) return assign_to_hub(worker);
  Zone& own = zone(node);
  const auto next = find_next_ready(node);
  if (next &&
      (own.open_tiles >= parameters_.open_tiles || (is_fetching(node) && cost(node, *next) == 0))) {
    return assign_ready(worker, *next);
  }
  if (const auto cell = first_unopened(own)) {
    open(node, *cell);
    return take(worker, *cell);
  }
  if (!next) return std::nullopt;
  return assign_ready(worker, *next);
}

/// Returns the ready open tile to continue. While the last requested tile is in flight, prefers a
/// task without absent operands, otherwise a task with absent operands, so that the link is busy
/// but does not run ahead.
std::optional<ZoneGrowth::Cell> ZoneGrowth::find_next_ready(int node) const {
  const auto place = [&](const ReadyCell& ready) {
    const int tiles = cost(node, ready.cell);
    return std::tuple(is_fetching(node) == (tiles > 0), ready.rank, tiles);
  };
  const auto& ready = zone(node).ready;
  const auto next =
      std::min_element(ready.begin(), ready.end(),
                       [&](const ReadyCell& a, const ReadyCell& b) { return place(a) < place(b); });
  if (next == ready.end()) return std::nullopt;
  return next->cell;
}

/// True if the tile that was last requested for a task of `node` is in flight.
bool ZoneGrowth::is_fetching(int node) const {
  const auto& tile = zone(node).last_request;
  return tile && context_.copies.state(node, *tile) == CopyState::in_flight;
}

Task ZoneGrowth::assign_ready(int worker, Cell cell) {
  auto& ready = zone(node_of(worker)).ready;
  ready.erase(std::find_if(ready.begin(), ready.end(),
                           [&](const ReadyCell& other) { return other.cell == cell; }));
  return take(worker, cell);
}

void ZoneGrowth::open(int node, Cell cell) {
  Zone& own = zone(node);
  CellState& opened = state(cell);
  zone(opened.owner).remaining_tasks -= remaining_tasks(cell);
  own.remaining_tasks += remaining_tasks(cell);
  ++own.open_tiles;
  own.rows[static_cast<std::size_t>(cell / n_)] = true;
  own.columns[static_cast<std::size_t>(cell % n_)] = true;
  opened.owner = node;
  opened.open = true;
}

Task ZoneGrowth::take(int worker, Cell cell) {
  WorkerState& own = worker_states_[static_cast<std::size_t>(worker)];
  if (own.assigned++ == 0) own.since_s = now_s_;
  state(cell).ready = false;
  const int node = node_of(worker);
  const Operands operands = context_.graph.operands({.target = cell, .k = state(cell).k});
  for (const Tile tile : {operands.target, operands.first, operands.second}) {
    if (context_.copies.is_absent(node, tile)) zone(node).last_request = tile;
  }
  return {.target = cell, .k = state(cell).k};
}

void ZoneGrowth::on_task_end(int worker, const Task& task, double now_s) {
  now_s_ = now_s;
  WorkerState& own = worker_states_[static_cast<std::size_t>(worker)];
  const double weight = std::max(kLastTaskWeight, 1 / static_cast<double>(++own.ended));
  const double took_s = std::round((now_s - own.since_s) / own.unit_s) * own.unit_s;
  own.task_s += weight * (took_s - own.task_s);
  own.since_s = now_s;
  --own.assigned;
  CellState& cell = state(task.target);
  Zone& owner = zone(cell.owner);
  --owner.remaining_tasks;
  if (task.k + 1 < n_) return;
  cell.k = n_;
  if (cell.open) --owner.open_tiles;
}

/// Closes the open tiles of a node whose last worker stops, so that other nodes can take them.
void ZoneGrowth::on_worker_stop(int worker) {
  worker_states_[static_cast<std::size_t>(worker)].stopped = true;
  const int node = node_of(worker);
  const auto& workers = workers_[static_cast<std::size_t>(node)];
  zone(node).stopped = std::all_of(workers.begin(), workers.end(), [&](int other) {
    return worker_states_[static_cast<std::size_t>(other)].stopped;
  });
  while (zone(node).stopped && !zone(node).ready.empty()) close(zone(node).ready.back().cell);
}

bool ZoneGrowth::is_unopened(Cell cell) const {
  return state(cell).ready && !state(cell).open && state(cell).k < n_;
}

/// True if the tile can no longer be opened.
bool ZoneGrowth::is_open_or_finished(Cell cell) const {
  return state(cell).open || state(cell).k == n_;
}

std::optional<ZoneGrowth::Cell> ZoneGrowth::first_unopened(Zone& zone) const {
  while (zone.head < zone.tail && is_open_or_finished(zone.order[zone.head])) ++zone.head;
  for (std::size_t place = zone.head; place < zone.tail; ++place) {
    if (is_unopened(zone.order[place])) return zone.order[place];
  }
  return std::nullopt;
}

double ZoneGrowth::task_s(int node) const {
  double per_s = 0;
  for (const int worker : workers_[static_cast<std::size_t>(node)]) {
    per_s += 1 / worker_states_[static_cast<std::size_t>(worker)].task_s;
  }
  return 1 / per_s;
}

int ZoneGrowth::cost(int node, Cell cell) const {
  return context_.copies.transfer_cost(
      node, context_.graph.operands({.target = cell, .k = state(cell).k}));
}

}  // namespace starport::tiles
