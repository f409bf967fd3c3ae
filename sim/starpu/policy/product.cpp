#include "sim/starpu/policy/product.hpp"

#include "sim/files/error.hpp"

#include <algorithm>
#include <utility>

namespace starport::starpu {
namespace {

/// Ready tasks whose copies are compared with StarPU's after each task on a device with a small
/// memory, from which StarPU may have evicted tiles.
constexpr int kRefreshedTasks = 8;

/// Returns the options of the run-time system as StarPU executes them.
tiles::RuntimeOptions options_of_starpu(tiles::RuntimeOptions options) {
  options.relay = true;
  options.cuda_order = false;
  options.limited_memory = true;
  options.transfers_between_tasks = devices_are_cpus();
  options.fetches_for_one_task = false;  // StarPU's drivers ask for a task only then
  return options;
}

std::optional<tiles::Allocation> allocate(const tiles::TileAlgorithm& algorithm,
                                          const tiles::Platform& platform,
                                          const tiles::ProductSize& size) {
  if (!algorithm.allocate()) return std::nullopt;
  std::optional<tiles::Allocation> allocation = algorithm.allocate()(platform, size);
  if (allocation && allocation->redux) {
    throw NotApplicable("redux=yes needs tasks that add tiles, which the program does not submit");
  }
  return allocation;
}

}  // namespace

Product::Product(Machine machine, const tiles::TileAlgorithm& algorithm,
                 const tiles::ProductSize& size, std::uint64_t seed)
    : machine_(std::move(machine)),
      graph_(size, allocate(algorithm, machine_.platform, size)),
      copies_(machine_.platform.nodes(), graph_.tiles()),
      scheduler_({machine_.platform, graph_, copies_, seed,
                  options_of_starpu(algorithm.runtime_options())},
                 algorithm.strategy(),
                 [this](int worker, const tiles::AssignedTask& assigned) {
                   on_assigned(worker, assigned);
                 }),
      cells_(static_cast<std::size_t>(size.cells())),
      handed_out_(machine_.workers.size()),
      awaits_next_(machine_.workers.size()),
      indices_(STARPU_NMAXWORKERS, -1),
      remaining_tasks_(graph_.tasks()) {
  for (std::size_t w = 0; w < machine_.workers.size(); ++w) {
    indices_[static_cast<std::size_t>(machine_.workers[w])] = static_cast<int>(w);
  }
}

void Product::start(const std::vector<Update>& first, const std::vector<std::int32_t>& cells) {
  start_s_ = 1e-6 * starpu_timing_now();
  for (std::size_t i = 0; i < first.size(); ++i) {
    cell(cells[i]).task = first[i].task;
    cell(cells[i]).tiles = first[i].tiles;
    numbers_[first[i].tiles.c] = cells[i];
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    make_ready(cells[i], first[i]);
  }
  assign_tasks();
}

bool Product::contains(const Update& update) const {
  const auto number = numbers_.find(update.tiles.c);
  if (number == numbers_.end()) return false;
  const Cell& own = cells_[static_cast<std::size_t>(number->second)];
  return own.phase == Phase::none && own.k + 1 < graph_.numbering().t;
}

void Product::push(const Update& update) {
  make_ready(numbers_.at(update.tiles.c), update);
  assign_tasks();
}

void Product::assign_tasks() {
  awaits_next_.assign(awaits_next_.size(), false);
  scheduler_.assign_tasks();
}

bool Product::assign_without_next(int worker) {
  const int index = indices_[static_cast<std::size_t>(worker)];
  if (index < 0 || !awaits_next_[static_cast<std::size_t>(index)]) return false;
  assign_tasks();
  return true;
}

bool Product::is_stuck() const {
  return ready_tasks_ > 0 && assigned_tasks_ == 0 &&
         std::find(awaits_next_.begin(), awaits_next_.end(), true) == awaits_next_.end();
}

void Product::make_ready(std::int32_t number, const Update& update) {
  Cell& own = cell(number);
  own.task = update.task;
  own.tiles = update.tiles;
  ++own.k;
  own.phase = Phase::ready;
  ++ready_tasks_;
  for (int node = 0; node < machine_.platform.nodes(); ++node) update_copies(number, node);
  scheduler_.push({.target = number, .k = own.k}, now_s());
}

/// Requests the tiles of a task that has just been assigned to the worker.
void Product::on_assigned(int worker, const tiles::AssignedTask& assigned) {
  Cell& own = cell(assigned.task.target);
  own.phase = Phase::assigned;
  own.worker = worker;
  --ready_tasks_;
  ++assigned_tasks_;
  own.stolen = assigned.stolen;
  const int node = machine_.platform.worker(worker).node;
  const tiles::Operands operands = graph_.operands(assigned.task);
  for (const tiles::Tile tile : {operands.target, operands.first, operands.second}) {
    if (copies_.is_absent(node, tile)) set_copy(node, tile, tiles::CopyState::in_flight);
  }
  if (starpu_get_prefetch_flag() != 0) {
    starpu_prefetch_task_input_on_node(own.task, machine_.nodes[static_cast<std::size_t>(node)]);
  }
}

struct starpu_task* Product::pop(int worker) {
  const int index = indices_[static_cast<std::size_t>(worker)];
  if (index < 0) return nullptr;
  std::size_t& handed_out = handed_out_[static_cast<std::size_t>(index)];
  const auto& queue = scheduler_.queue(index);
  if (handed_out == queue.size()) return nullptr;
  Cell& own = cell(queue[handed_out].task.target);
  ++handed_out;
  own.phase = Phase::handed_out;
  return own.task;
}

/// The start of a task invalidates the other copies of the tile of C.
std::optional<bool> Product::on_start(struct starpu_task* task) {
  const Cell* own = find(task);
  if (own == nullptr) return std::nullopt;
  const tiles::Tile target = graph_.numbering().target(numbers_.at(own->tiles.c));
  const int node = machine_.platform.worker(own->worker).node;
  for (int other = 0; other < machine_.platform.nodes(); ++other) {
    if (other != node && !copies_.is_absent(other, target)) {
      set_copy(other, target, tiles::CopyState::absent);
    }
  }
  return own->stolen;
}

std::optional<starpu_data_handle_t> Product::on_end(struct starpu_task* task) {
  Cell* const own = find(task);
  if (own == nullptr) return std::nullopt;
  const int worker = own->worker;
  const int node = machine_.platform.worker(worker).node;
  --handed_out_[static_cast<std::size_t>(worker)];
  --assigned_tasks_;
  --remaining_tasks_;
  own->phase = Phase::none;
  own->task = nullptr;
  const tiles::Task ended = scheduler_.remove_current(worker).task;
  scheduler_.strategy().on_task_end(worker, ended, now_s());
  if (node != tiles::kHub &&
      machine_.platform.link(node).memory_tiles.value_or(graph_.tiles()) < graph_.tiles()) {
    for (int task_number = 0; task_number < kRefreshedTasks; ++task_number) {
      refreshed_ = (refreshed_ + 1) % graph_.numbering().cells();
      if (cell(refreshed_).phase == Phase::ready) update_copies(refreshed_, node);
    }
  }
  if (ended.k + 1 < graph_.numbering().t) {
    // The next task of the tile is one of those that the worker can choose from.
    awaits_next_[static_cast<std::size_t>(worker)] = true;
    return std::nullopt;
  }
  if (node != tiles::kHub) {
    set_copy(tiles::kHub, graph_.operands(ended).target, tiles::CopyState::in_flight);
  }
  assign_tasks();
  return node != tiles::kHub ? std::optional(own->tiles.c) : std::nullopt;
}

std::vector<struct starpu_task*> Product::release() {
  std::vector<struct starpu_task*> tasks;
  for (const Cell& own : cells_) {
    if (own.task != nullptr && own.phase != Phase::handed_out) tasks.push_back(own.task);
  }
  return tasks;
}

/// Compares the copies of the tiles of the ready update of a tile of C at a memory node with those
/// that StarPU has: it may have evicted some, or have others from before the product.
void Product::update_copies(std::int32_t number, int node) {
  const Cell& own = cell(number);
  const tiles::Operands operands = graph_.operands({.target = number, .k = own.k});
  const std::pair<tiles::Tile, starpu_data_handle_t> tiles_of_task[] = {
      {operands.target, own.tiles.c},
      {operands.first, own.tiles.a},
      {operands.second, own.tiles.b}};
  for (const auto& [tile, handle] : tiles_of_task) {
    int is_valid = 0;
    int is_requested = 0;
    starpu_data_query_status(handle,
                             static_cast<int>(machine_.nodes[static_cast<std::size_t>(node)]),
                             nullptr, &is_valid, &is_requested);
    const auto state = is_valid != 0       ? tiles::CopyState::valid
                       : is_requested != 0 ? tiles::CopyState::in_flight
                                           : tiles::CopyState::absent;
    if (copies_.state(node, tile) != state) set_copy(node, tile, state);
  }
}

void Product::set_copy(int node, tiles::Tile tile, tiles::CopyState state) {
  const bool was_absent = copies_.is_absent(node, tile);
  copies_.set_state(node, tile, state);
  if (was_absent != copies_.is_absent(node, tile)) {
    scheduler_.strategy().on_copy_change(node, tile);
  }
  if (state == tiles::CopyState::valid) scheduler_.strategy().on_copy_arrival(node, tile);
}

/// Returns the tile of C whose update `task` has been handed out; nullptr for other tasks.
Product::Cell* Product::find(struct starpu_task* task) {
  const auto tiles = find_update_tiles(task);
  if (!tiles) return nullptr;
  const auto number = numbers_.find(tiles->c);
  if (number == numbers_.end()) return nullptr;
  Cell& own = cell(number->second);
  return own.task == task && own.phase == Phase::handed_out ? &own : nullptr;
}

}  // namespace starport::starpu
