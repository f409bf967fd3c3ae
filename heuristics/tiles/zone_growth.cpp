// ZoneGrowth's division of C into zones, and its work stealing: the hub takes tasks from the zones
// of GPUs at any time, a GPU once it has opened all tiles of its own zone.

#include "heuristics/tiles/zone_growth.hpp"

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/methods.hpp"
#include "heuristics/partition/to_tiles.hpp"
#include "sim/platform/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <variant>

namespace starport::tiles {
namespace {

// Weight of the last task in the exponential moving average of a worker's task times.
constexpr double kLastTaskWeight = 0.125;
// Measured times are rounded to this fraction of the assumed time, so that engines whose dates
// differ in the last digits make the same decisions.
constexpr double kMeasurementPrecision = 1e-3;

/// Replaces speeds that may be equal within their uncertainty by their mean, in groups from the
/// fastest speed downwards.
std::vector<double> equalize(std::vector<double> speeds, double uncertainty) {
  std::vector<std::size_t> order(speeds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return speeds[a] > speeds[b]; });
  for (auto first = order.begin(); first != order.end();) {
    const double slowest = speeds[*first] * (1 - uncertainty) / (1 + uncertainty);
    const auto last =
        std::find_if(first, order.end(), [&](std::size_t node) { return speeds[node] < slowest; });
    double mean = 0;
    for (auto node = first; node != last; ++node) {
      mean += speeds[*node] / static_cast<double>(last - first);
    }
    for (; first != last; ++first) speeds[*first] = mean;
  }
  return speeds;
}

/// Returns the first or last row (or column) of a zone, whichever is closer to the border of C.
/// `line` returns the row (or column) of a cell.
template <class Line>
std::int32_t outer_end(std::int32_t lines, const std::vector<std::int32_t>& zone, Line line) {
  const auto [first, last] = std::minmax_element(
      zone.begin(), zone.end(), [&](std::int32_t a, std::int32_t b) { return line(a) < line(b); });
  return line(*first) <= lines - 1 - line(*last) ? line(*first) : line(*last);
}

/// Assigns the tiles of C to the zones: with their edges rounded, or if that makes a zone last
/// clearly longer than sizes in proportion to the speeds would, with those sizes. The zones of a
/// small product have too few tiles for others to take over the difference.
partition::TileAssignment<2> round_to_tiles(const partition::Partition<2>& parts,
                                            const std::vector<double>& speeds,
                                            const partition::TileCounts<2>& counts) {
  constexpr double clearly = 1.1;
  const auto longest = [&](const partition::TileAssignment<2>& zones) {
    double most = 0;
    for (std::size_t zone = 0; zone < speeds.size(); ++zone) {
      if (zones.tiles[zone] > 0)
        most = std::max(most, static_cast<double>(zones.tiles[zone]) / speeds[zone]);
    }
    return most;
  };
  auto rounded = partition::round_edges(parts, counts);
  auto precise = partition::round_precisely(parts, speeds, counts);
  return longest(rounded) > clearly * longest(precise) ? precise : rounded;
}

/// Tiles of A and B of the current task and of the two planned ones. They need space beside the
/// open tiles of C and the tiles of A or B that a step in k reads again and again.
constexpr std::int64_t kPlannedTiles = 4;

/// Height and width, in tiles, of the parts of a zone that a GPU computes one after the other.
struct BlockShape {
  std::int32_t rows = 1;
  std::int32_t columns = 1;
};

/// Chooses the parts of a zone of `rows` x `columns` tiles of C that are computed with the fewest
/// transfers in a memory of `memory_tiles`, which holds the C of one part and, as k grows, the
/// column of A or the row of B that is shorter; on ties the smallest parts. Without a limit, or
/// where the memory holds all of A and B that the zone needs, parts of one tile: nothing is fetched
/// twice anyway.
BlockShape choose_blocks(std::int32_t t, std::int32_t rows, std::int32_t columns,
                         std::optional<std::int64_t> memory_tiles) {
  const std::int64_t whole = std::int64_t{t} * (rows + columns) + kPlannedTiles;
  if (!memory_tiles || *memory_tiles >= whole) return {};
  const auto divide_up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  BlockShape best;
  const std::int64_t room = *memory_tiles - kPlannedTiles;
  auto fewest = std::pair(std::numeric_limits<std::int64_t>::max(), room);
  for (std::int64_t high = 1; high <= rows; ++high) {
    // high * wide + min(high, wide) must fit.
    const std::int64_t fits = std::max(std::min(high, room / (high + 1)), (room - high) / high);
    if (fits < 1) break;
    const std::int64_t parts = divide_up(columns, fits);
    const std::int64_t wide = divide_up(columns, parts);
    const std::int64_t moved = rows * parts + columns * divide_up(rows, high);
    const auto cost = std::pair(moved, high * wide + std::min(high, wide));
    if (cost >= fewest) continue;
    fewest = cost;
    best = {.rows = static_cast<std::int32_t>(high), .columns = static_cast<std::int32_t>(wide)};
  }
  return best;
}

/// Sorts the cells of a zone by growing squares around its outermost corner: blocks of the given
/// shape by growing squares of blocks, and the cells of a block along its shorter side, so that a
/// step in k reads each tile of A or B in one go, and those of the shorter side stay.
void order_from_corner(const ProductSize& size, std::vector<std::int32_t>& zone,
                       const BlockShape& shape) {
  const auto row = [&](std::int32_t cell) { return size.row(cell); };
  const auto column = [&](std::int32_t cell) { return size.column(cell); };
  const std::int32_t corner_row = outer_end(size.r, zone, row);
  const std::int32_t corner_column = outer_end(size.s, zone, column);
  const auto place = [&](std::int32_t cell) {
    const std::int32_t x = std::abs(row(cell) - corner_row);
    const std::int32_t y = std::abs(column(cell) - corner_column);
    const std::int32_t block_x = x / shape.rows;
    const std::int32_t block_y = y / shape.columns;
    return std::tuple(std::max(block_x, block_y), block_x >= block_y, block_x, block_y,
                      shape.rows >= shape.columns ? std::pair(x, y) : std::pair(y, x));
  };
  std::sort(zone.begin(), zone.end(),
            [&](std::int32_t a, std::int32_t b) { return place(a) < place(b); });
}

}  // namespace

ZoneGrowth::ZoneGrowth(const StrategyContext& context) : ZoneGrowth(context, Parameters{}) {}

ZoneGrowth::ZoneGrowth(const StrategyContext& context, const Parameters& parameters)
    : ZoneGrowth(context, parameters,
                 assume_durations(context.platform, parameters.uncertainty, context.seed)) {}

ZoneGrowth::ZoneGrowth(const StrategyContext& context, const Parameters& parameters,
                       const Platform& assumed)
    : context_(context),
      parameters_(parameters),
      size_(context.graph.numbering()),
      zones_(static_cast<std::size_t>(context.platform.nodes())),
      workers_(zones_.size()),
      tile_s_(zones_.size()),
      cells_(static_cast<std::size_t>(context.graph.numbering().cells())) {
  for (const Worker& worker : assumed.workers) {
    workers_[static_cast<std::size_t>(worker.node)].push_back(
        static_cast<int>(worker_states_.size()));
    worker_states_.push_back(
        {.task_s = worker.update_s, .unit_s = kMeasurementPrecision * worker.update_s});
  }
  for (int node = 1; node < assumed.nodes(); ++node)
    tile_s_[static_cast<std::size_t>(node)] = transfer_time_s(assumed, kHub, node);
  divide_tiles();
  for (int node = 1; node < context.platform.nodes(); ++node) {
    if (!zone(node).in_blocks) open_first_square(node);
  }
}

Platform assume_durations(const Platform& platform, double uncertainty, std::uint64_t seed) {
  Platform assumed = platform;
  std::uint64_t resource = 0;
  const auto draw_factor = [&] {
    const double draw = to_unit_interval(splitmix64_at(mix_bits(seed), resource++));
    return 1 + uncertainty * (2 * draw - 1);
  };
  for (Worker& worker : assumed.workers) worker.update_s *= draw_factor();
  const auto gpus = static_cast<std::size_t>(platform.nodes());
  for (std::size_t node = 1; node < gpus; ++node) {
    const double factor = draw_factor();
    Link& link = assumed.links[node - 1];
    for (double* duration_s : {&link.latency_s, &link.in_s, &link.out_s}) *duration_s *= factor;
    if (assumed.routes.empty()) continue;
    for (const std::size_t route : {node, node * gpus}) {
      assumed.routes[route].latency_s *= factor;
      assumed.routes[route].tile_s *= factor;
    }
  }
  return assumed;
}

/// Divides C among the GPUs, or gives it to the hub if there is none.
void ZoneGrowth::divide_tiles() {
  std::vector<double> speeds(zones_.size(), 1);
  for (int node = 1; node < context_.platform.nodes(); ++node) {
    speeds[kHub] = 0;
    speeds[static_cast<std::size_t>(node)] = 1 / task_s(node);
  }
  for (int left = parameters_.idle_gpus; left > 0; --left) {
    int slowest = 0;
    for (int node = 1; node < context_.platform.nodes(); ++node) {
      if (!zone(node).idle && (slowest == 0 || task_s(node) > task_s(slowest))) slowest = node;
    }
    zone(slowest).idle = true;
    speeds[static_cast<std::size_t>(slowest)] = 0;
  }
  auto cells = make_corner_zones(size_, speeds, parameters_.uncertainty);
  for (std::size_t node = 0; node < zones_.size(); ++node) {
    Zone& zone = zones_[node];
    zone.order = std::move(cells[node]);
    zone.max_open = parameters_.open_tiles;
    if (node > 0 && !zone.order.empty()) order_by_blocks(static_cast<int>(node));
    zone.tail = zone.order.size();
    zone.remaining_tasks = static_cast<std::int64_t>(zone.tail) * size_.t;
    zone.rows.resize(static_cast<std::size_t>(size_.r));
    zone.columns.resize(static_cast<std::size_t>(size_.s));
    for (const Cell cell : zone.order) state(cell).owner = static_cast<std::int32_t>(node);
  }
}

/// Lets a GPU open one block of tiles after the other if its memory cannot hold all of A and B that
/// its zone needs. The tasks of a block take turns, so that k is its outer loop.
void ZoneGrowth::order_by_blocks(int node) {
  Zone& own = zone(node);
  const auto span = [&](auto line) {
    const auto [first, last] = std::minmax_element(
        own.order.begin(), own.order.end(), [&](Cell a, Cell b) { return line(a) < line(b); });
    return line(*last) - line(*first) + 1;
  };
  const BlockShape shape = choose_blocks(size_.t, span([&](Cell cell) { return size_.row(cell); }),
                                         span([&](Cell cell) { return size_.column(cell); }),
                                         context_.platform.link(node).memory_tiles);
  if (shape.rows * shape.columns <= 1) return;
  order_from_corner(size_, own.order, shape);
  own.max_open = shape.rows * shape.columns;
  own.in_blocks = true;
  for (std::size_t place = 0; place < own.order.size(); ++place) {
    state(own.order[place]).place = static_cast<std::int32_t>(place);
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

/// Adds an open tile to the ready tiles of its zone. Open tiles take turns, one task each. The
/// tiles opened at the start go first, in growing cubes of (row, column, k), which reuses the tiles
/// of A and B that arrive first. In a zone that is computed in blocks the tiles with the lowest k
/// of the earliest block go first, in their order.
void ZoneGrowth::mark_ready(Cell cell) {
  CellState& own = state(cell);
  const std::int64_t block_size = zone(own.owner).max_open;
  const std::int64_t rank =
      zone(own.owner).in_blocks
          ? (own.place / block_size * size_.t + own.k) * block_size + own.place % block_size
      : own.shell >= 0 ? std::max(own.shell, own.k) - size_.t
                       : ++pushes_;
  own.entry = {.rank = rank, .number = ++entries_, .cell = cell};
  own.lacks_tiles = cost(own.owner, cell) > 0;
  ready_set(own).insert(own.entry);
}

/// Moves a tile of C to the other set of Zone::ready if its next task is ready at `node` and its
/// operands have become absent, or have been requested.
void ZoneGrowth::update_ready(int node, Cell cell) {
  CellState& own = state(cell);
  if (own.owner != node || !own.open || !own.ready) return;
  const bool lacks_tiles = cost(node, cell) > 0;
  if (lacks_tiles == own.lacks_tiles) return;
  auto entry = ready_set(own).extract(own.entry);
  own.lacks_tiles = lacks_tiles;
  ready_set(own).insert(std::move(entry));
}

void ZoneGrowth::on_copy_change(int node, Tile tile) {
  const TileNumbering& numbering = context_.graph.numbering();
  if (numbering.is_target(tile)) {
    update_ready(node, tile - numbering.target(0));
    return;
  }
  const std::int32_t row = numbering.operand_row(tile);
  const std::int32_t column = numbering.operand_column(tile);
  const bool is_of_a = numbering.is_of_a(tile);
  const Cell step = is_of_a ? 1 : size_.s;
  Cell cell = is_of_a ? row * size_.s : column;
  for (std::int32_t left = is_of_a ? size_.s : size_.r; left > 0; --left, cell += step) {
    if (state(cell).k == (is_of_a ? column : row)) update_ready(node, cell);
  }
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
  if (!has_room(worker) || leaves_rest_to_hub(worker)) return std::nullopt;
  Zone& own = zone(node);
  const auto next = find_next_ready(node);
  if (next && (own.open_tiles >= own.max_open || (is_fetching(node) && cost(node, *next) == 0))) {
    return assign_ready(worker, *next);
  }
  if (const auto cell = first_unopened(own)) {
    open(node, *cell);
    return take(worker, *cell);
  }
  if (!next) return std::nullopt;
  return assign_ready(worker, *next);
}

/// Returns true if a worker with a zone may be assigned a task in addition to those that it has.
bool ZoneGrowth::has_room(int worker) const {
  return !zone(node_of(worker)).idle &&
         worker_states_[static_cast<std::size_t>(worker)].assigned <= parameters_.planned_tasks;
}

/// Returns the ready open tile to continue. While the last requested tile is in flight, prefers a
/// task without absent operands, otherwise a task with absent operands, so that the link is busy
/// but does not run ahead.
std::optional<ZoneGrowth::Cell> ZoneGrowth::find_next_ready(int node) const {
  // In blocks, whose tiles of A and B leave the memory soon, tasks ahead of the others would fetch
  // them twice. It is enough if the link is as fast as the tasks: most need one tile or none.
  const bool in_order = zone(node).in_blocks && tile_s(node) <= task_s(node);
  // Finds the task with the fewest absent operands among those of the lowest rank.
  const auto find_first = [&](const std::set<ReadyCell>& ready) {
    const ReadyCell* first = nullptr;
    for (const ReadyCell& other : ready) {
      if (first != nullptr && other.rank > first->rank) break;
      if (first == nullptr || cost(node, other.cell) < cost(node, first->cell)) first = &other;
    }
    return first;
  };
  const ReadyCell* requested = find_first(zone(node).ready[0]);
  const ReadyCell* absent = find_first(zone(node).ready[1]);
  if (requested == nullptr && absent == nullptr) return std::nullopt;
  if (requested == nullptr) return absent->cell;
  if (absent == nullptr) return requested->cell;
  const bool prefers_requested = in_order ? requested->rank <= absent->rank : is_fetching(node);
  return prefers_requested ? requested->cell : absent->cell;
}

/// True if the tile that was last requested for a task of `node` is in flight.
bool ZoneGrowth::is_fetching(int node) const {
  const auto& tile = zone(node).last_request;
  return tile && context_.copies.state(node, *tile) == CopyState::in_flight;
}

Task ZoneGrowth::assign_ready(int worker, Cell cell) {
  ready_set(state(cell)).erase(state(cell).entry);
  return take(worker, cell);
}

void ZoneGrowth::open(int node, Cell cell) {
  Zone& own = zone(node);
  CellState& opened = state(cell);
  zone(opened.owner).remaining_tasks -= remaining_tasks(cell);
  own.remaining_tasks += remaining_tasks(cell);
  ++own.open_tiles;
  own.rows[static_cast<std::size_t>(size_.row(cell))] = true;
  own.columns[static_cast<std::size_t>(size_.column(cell))] = true;
  if (opened.owner != node) opened.place = std::numeric_limits<std::int32_t>::max();
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
  if (task.k + 1 < size_.t) return;
  cell.k = size_.t;
  if (cell.open) --owner.open_tiles;
}

/// Closes the open tiles of a node whose last worker stops, so that other nodes can take them.
void ZoneGrowth::on_worker_stop(int worker) {
  worker_states_[static_cast<std::size_t>(worker)].stopped = true;
  for (Zone& zone : zones_) zone.idle = false;
  const int node = node_of(worker);
  const auto& workers = workers_[static_cast<std::size_t>(node)];
  zone(node).stopped = std::all_of(workers.begin(), workers.end(), [&](int other) {
    return worker_states_[static_cast<std::size_t>(other)].stopped;
  });
  if (!zone(node).stopped) return;
  std::vector<ReadyCell> ready;
  for (const auto& set : zone(node).ready) ready.insert(ready.end(), set.begin(), set.end());
  std::sort(ready.begin(), ready.end(),
            [](const ReadyCell& a, const ReadyCell& b) { return a.number > b.number; });
  for (const ReadyCell& last : ready) close(last.cell);
}

bool ZoneGrowth::is_unopened(Cell cell) const {
  return state(cell).ready && !state(cell).open && state(cell).k < size_.t;
}

/// True if the tile can no longer be opened.
bool ZoneGrowth::is_open_or_finished(Cell cell) const {
  return state(cell).open || state(cell).k == size_.t;
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

std::vector<std::vector<std::int32_t>> make_corner_zones(const ProductSize& size,
                                                         const std::vector<double>& speeds,
                                                         double uncertainty) {
  const std::vector<double> checked = partition::normalize_speeds(speeds);
  const auto nrrp = std::get<partition::Divide<2>>(partition::find_method("NRRP").divide);
  const partition::TileCounts<2> counts{size.r, size.s};
  const std::vector<double> equal = equalize(checked, uncertainty);
  const auto parts = nrrp(equal, partition::make_whole<2>(counts));
  const auto owners = round_to_tiles(parts, equal, counts).owner;
  std::vector<std::vector<std::int32_t>> zones(speeds.size());
  for (std::size_t cell = 0; cell < owners.size(); ++cell) {
    zones[static_cast<std::size_t>(owners[cell])].push_back(static_cast<std::int32_t>(cell));
  }
  for (auto& zone : zones) {
    if (!zone.empty()) order_from_corner(size, zone, {});
  }
  return zones;
}

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

/// True if `worker` can execute a task of `cell` without making others wait at the end: if the
/// task, and after it those of the zone's tiles on which workers of the hub work, are done in time,
/// each tile by the worker that has it or by the GPU, whichever is faster.
bool ZoneGrowth::saves_time(int worker, Cell cell) const {
  const int owner = state(cell).owner;
  if (zone(owner).stopped) return true;
  const double task_s = this->task_s(owner);
  const WorkerState& own = worker_states_[static_cast<std::size_t>(worker)];
  double end_s =
      own.task_s + static_cast<double>(remaining_tasks(cell) - 1) * std::min(own.task_s, task_s);
  for (const int other : workers_[kHub]) {
    const WorkerState& busy = worker_states_[static_cast<std::size_t>(other)];
    if (busy.assigned == 0 || !busy.cell || state(*busy.cell).owner != owner) continue;
    end_s += static_cast<double>(remaining_tasks(*busy.cell)) * std::min(busy.task_s, task_s);
  }
  return end_s <= deadline_s(owner, own.task_s);
}

/// True if a GPU should plan no more tasks behind its current one: if it would end the next one
/// after all workers together could end everything, and a faster worker of the hub can take it.
bool ZoneGrowth::leaves_rest_to_hub(int worker) const {
  const WorkerState& own = worker_states_[static_cast<std::size_t>(worker)];
  const auto& cores = workers_[kHub];
  const int node = node_of(worker);
  return own.assigned > 0 &&
         std::any_of(cores.begin(), cores.end(),
                     [&](int core) {
                       const WorkerState& other = worker_states_[static_cast<std::size_t>(core)];
                       return !other.stopped && other.task_s < own.task_s;
                     }) &&
         (own.assigned + 1) * own.task_s > deadline_s(node, task_s(node));
}

/// Returns the time, from now, by which a worker that takes `task_s` per task has to end its tasks
/// of a GPU's zone: when the GPU is expected to finish its zone, or, unless the GPU is slower, when
/// all workers together would finish all zones, if that is earlier, since other GPUs will take over
/// tiles of the zone.
double ZoneGrowth::deadline_s(int node, double task_s) const {
  if (task_s < this->task_s(node)) return finish_s(node);
  std::int64_t tasks = 0;
  for (const Zone& other : zones_) tasks += other.remaining_tasks;
  double tasks_per_s = 0;
  for (const WorkerState& other : worker_states_) {
    if (!other.stopped) tasks_per_s += 1 / other.task_s;
  }
  return std::min(finish_s(node), static_cast<double>(tasks) / tasks_per_s);
}

/// Steals an unopened tile, or the rest of an open one, from the GPU expected to finish last, if
/// this GPU is expected to finish the tile earlier.
std::optional<Task> ZoneGrowth::steal(int worker) {
  const int node = node_of(worker);
  if (node == kHub || zone(node).open_tiles >= zone(node).max_open || !has_room(worker) ||
      leaves_rest_to_hub(worker)) {
    return std::nullopt;
  }
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
  const double until_s = node == kHub ? deadline_s(victim, step_s) : finish_s(victim);
  std::optional<Cell> longest;
  const auto place = [&](Cell cell) {
    return std::pair(-remaining_tasks(cell), state(cell).entry.number);
  };
  for (const auto& set : zone(victim).ready) {
    for (const ReadyCell& ready : set) {
      if (from_s + static_cast<double>(remaining_tasks(ready.cell)) * step_s > until_s) continue;
      if (!longest || place(ready.cell) < place(*longest)) longest = ready.cell;
    }
  }
  if (longest) close(*longest);
  return longest;
}

/// Makes an open tile the last unopened tile of its zone.
void ZoneGrowth::close(Cell cell) {
  Zone& owner = zone(state(cell).owner);
  ready_set(state(cell)).erase(state(cell).entry);
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
  return int{!zone(node).rows[static_cast<std::size_t>(size_.row(cell))]} +
         int{!zone(node).columns[static_cast<std::size_t>(size_.column(cell))]};
}

}  // namespace starport::tiles
