#include "sim/tiles/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace starport::tiles {

Runtime::Runtime(const Platform& platform, const TaskGraph& graph, const StrategyMaker& strategy,
                 const RuntimeOptions& options, std::uint64_t seed)
    : platform_(platform),
      graph_(graph),
      options_(options),
      copies_(platform.nodes(), graph.tiles()),
      dependencies_(graph),
      directions_(platform.nodes(), options.cuda_order),
      running_(platform.workers.size()),
      workers_by_node_(static_cast<std::size_t>(platform.nodes())),
      memories_(static_cast<std::size_t>(platform.nodes())),
      drivers_asleep_(static_cast<std::size_t>(platform.nodes())),
      unnoticed_(static_cast<std::size_t>(platform.nodes())),
      scheduler_({platform, graph, copies_, seed, options}, strategy,
                 [this](int worker, const AssignedTask& assigned) {
                   on_assigned(worker, assigned.task);
                 }) {
  for (std::size_t w = 0; w < platform.workers.size(); ++w) {
    workers_by_node_[static_cast<std::size_t>(platform.workers[w].node)].push_back(
        static_cast<int>(w));
  }
  for (int node = 1; node < platform.nodes(); ++node) {
    const auto capacity = platform.link(node).memory_tiles;
    if (!capacity || !options.limited_memory) continue;
    memories_[static_cast<std::size_t>(node)] = std::make_unique<GpuMemory>(*capacity);
    // Drivers notice late that transfers have ended, and with them that copies may be evicted.
    if (options.transfers_between_tasks) start_tracking(node);
  }
}

void Runtime::start(double now_s, const std::vector<int>& stopped) {
  now_s_ = now_s;
  for (const int worker : stopped) stop(worker, now_s);
  for (const Task& task : graph_.initial_tasks()) scheduler_.push(task, now_s);
  scheduler_.assign_tasks();
}

void Runtime::handle_end(const Activity& activity, double now_s) {
  now_s_ = now_s;
  switch (activity.kind) {
    case Activity::Kind::task:
      end_task(activity.resource, now_s);
      break;
    case Activity::Kind::transfer:
      end_transfer(activity.resource);
      if (!options_.fetches_for_one_task) return;  // no worker has room for one more task
      break;
    case Activity::Kind::stop:
      stop(activity.resource, now_s);
      break;
  }
  scheduler_.assign_tasks();
  if (driver_at_work_ == kHub) return;
  resume_driver(activity.resource);
  if (options_.fetches_for_one_task) scheduler_.assign_tasks();
}

/// Lets the driver of a GPU whose task has ended, or whose worker has stopped, notice the transfers
/// that have ended meanwhile, start those that were requested, and start the next task.
void Runtime::resume_driver(int worker) {
  const int node = driver_at_work_;
  drivers_asleep_[static_cast<std::size_t>(node)] = false;
  for (const auto& ended : std::exchange(unnoticed_[static_cast<std::size_t>(node)], {})) {
    finish_transfer(ended);
  }
  directions_.set_blocked(node, false);
  start_transfers();
  driver_at_work_ = kHub;
  start_current_task(worker);
}

/// Returns the number of tasks of a GPU's queue that request their operands, the current one
/// included, and protect them from eviction: all that are planned, but no more than fit in its
/// memory together.
std::size_t Runtime::requesting_tasks(int node) const {
  const auto& capacity = platform_.link(node).memory_tiles;
  return static_cast<std::size_t>(
      std::min<std::int64_t>(1 + options_.planned_tasks, std::max<std::int64_t>(1, *capacity / 3)));
}

/// Requests the operands of a task that has just been assigned to the worker; if memory is limited
/// and it is not among the next tasks, only as far as there is free space.
void Runtime::on_assigned(int worker, const Task& task) {
  const int node = platform_.worker(worker).node;
  if (!memory(node) || scheduler_.assigned_tasks(worker) <= requesting_tasks(node)) {
    request_operands(worker, task);
    return;
  }
  const Operands operands = graph_.operands(task);
  for (const Tile tile : {operands.target, operands.first, operands.second}) {
    if (!copies_.is_absent(node, tile) || !memory(node)->reserve()) continue;
    memory(node)->pin(tile);
    memory(node)->unpin(tile);
    mark_in_flight(node, tile);
    fetch(node, tile);
  }
}

/// Requests the operands of a task at the worker's node and pins them in its memory.
void Runtime::request_operands(int worker, const Task& task) {
  const int node = platform_.worker(worker).node;
  const Operands operands = graph_.operands(task);
  if (memory(node)) pin(node, operands);
  request(node, operands.target);
  request(node, operands.first);
  request(node, operands.second);
  start_current_task(worker);
}

/// Starts the current task if its operands are valid and no transfer under way reads the tile that
/// it writes (one that returns to main memory to be evicted, or one to a worker that has stopped),
/// nor any transfer must come first. This invalidates the other copies of that tile, including
/// copies in flight, which a worker that has stopped may have requested.
void Runtime::start_current_task(int worker) {
  if (running_[static_cast<std::size_t>(worker)] || scheduler_.is_stopped(worker) ||
      scheduler_.queue(worker).empty()) {
    return;
  }
  const int node = platform_.worker(worker).node;
  if (node != kHub && node == driver_at_work_) return;
  const Operands operands = graph_.operands(current_task(worker).task);
  if (!copies_.are_valid(node, operands) || directions_.is_sending(node, operands.target)) return;
  if (options_.transfers_between_tasks && node != kHub) {
    drivers_asleep_[static_cast<std::size_t>(node)] = true;
    if (directions_.has_transfers(node)) return;
    directions_.set_blocked(node, true);
  }
  running_[static_cast<std::size_t>(worker)] = true;
  started.push_back({.kind = Activity::Kind::task, .resource = worker});
  for (int other = 0; other < platform_.nodes(); ++other) {
    if (memory(other)) memory(other)->written_back.erase(operands.target);
    if (other == node || copies_.is_absent(other, operands.target)) continue;
    bool is_arriving = false;
    if (!copies_.is_valid(other, operands.target)) {
      is_arriving = directions_.cancel(operands.target, other);
      for (auto& transfers : unnoticed_) {
        for (LinkDirections::Ended& ended : transfers) {
          const auto& [tile, from, to] = ended.transfer;
          if (!ended.cancelled && tile == operands.target && to == other)
            is_arriving = ended.cancelled = true;
        }
      }
      std::erase_if(second_hops_, [&](const Transfer& hop) {
        return hop.tile == operands.target && hop.to == other;
      });
    }
    mark_absent(other, operands.target);
    if (!memory(other)) continue;
    auto& waiting = memory(other)->waiting;
    const auto request = std::find(waiting.begin(), waiting.end(), operands.target);
    if (request != waiting.end()) {
      waiting.erase(request);  // a worker that has stopped requested it; it has no space yet
    } else {
      memory(other)->forget(operands.target);
      if (!is_arriving) memory(other)->release();
    }
    make_room(other);
  }
  start_transfers();
}

void Runtime::end_task(int worker, double now_s) {
  const Task task = scheduler_.remove_current(worker).task;
  const int node = platform_.worker(worker).node;
  running_[static_cast<std::size_t>(worker)] = false;
  if (options_.transfers_between_tasks) driver_at_work_ = node;
  const Operands operands = graph_.operands(task);
  if (memory(node)) {
    unpin(node, operands);
    const std::size_t last = requesting_tasks(node) - 1;
    const auto& tasks = scheduler_.queue(worker);
    if (last < tasks.size()) request_operands(worker, tasks[last].task);
  }
  scheduler_.strategy().on_task_end(worker, task, now_s);
  start_current_task(worker);
  const auto next = dependencies_.complete(task);
  if (!graph_.is_auxiliary(task.target) && !graph_.next(task)) return_to_hub(node, operands.target);
  if (operands.reduction) return_to_hub(node, operands.first);
  if (next) scheduler_.push(*next, now_s);
}

void Runtime::end_transfer(int direction) {
  const LinkDirections::Ended ended = directions_.end(direction);
  start_transfers();
  const int gpu = std::max(ended.transfer.from, ended.transfer.to);
  if (!drivers_asleep_[static_cast<std::size_t>(gpu)]) {
    finish_transfer(ended);
    return;
  }
  unnoticed_[static_cast<std::size_t>(gpu)].push_back(ended);
  for (const int worker : workers_by_node_[static_cast<std::size_t>(gpu)]) {
    start_current_task(worker);
  }
}

void Runtime::finish_transfer(const LinkDirections::Ended& ended) {
  const auto& [transfer, cancelled] = ended;
  update_evictability(transfer.from, transfer.tile);
  if (memory(transfer.from)) make_room(transfer.from);
  if (!cancelled) {
    set_state(transfer.to, transfer.tile, CopyState::valid);
    scheduler_.strategy().on_copy_arrival(transfer.to, transfer.tile);
  } else if (memory(transfer.to)) {
    memory(transfer.to)->release();
    make_room(transfer.to);
  }
  if (transfer.to == kHub && !cancelled) {
    const Tile tile = transfer.tile;
    // Several if a task went to another GPU when its worker stopped.
    const auto hops =
        std::stable_partition(second_hops_.begin(), second_hops_.end(),
                              [tile](const Transfer& hop) { return hop.tile != tile; });
    const std::vector<Transfer> second(hops, second_hops_.end());
    second_hops_.erase(hops, second_hops_.end());
    for (const Transfer& hop : second) add_transfer(hop);
    evict_unused_copies(tile);
  }
  for (const int node : {transfer.from, transfer.to}) {
    for (const int worker : workers_by_node_[static_cast<std::size_t>(node)])
      start_current_task(worker);
  }
}

/// Stops a worker: its running task still ends, its planned tasks are pushed again, and the copies
/// in its memory remain readable.
void Runtime::stop(int worker, double now_s) {
  const std::size_t running = running_[static_cast<std::size_t>(worker)] ? 1 : 0;
  const int node = platform_.worker(worker).node;
  std::size_t place = running;
  for (const AssignedTask& planned : scheduler_.stop(worker, running)) {
    if (memory(node) && place < requesting_tasks(node)) unpin(node, graph_.operands(planned.task));
    ++place;
    scheduler_.push(planned.task, now_s);
  }
  // No task will end and let the driver notice the transfers that it sends and receives.
  if (running == 0 && drivers_asleep_[static_cast<std::size_t>(node)]) driver_at_work_ = node;
}

void Runtime::set_state(int node, Tile tile, CopyState state) {
  copies_.set_state(node, tile, state);
  if (node != kHub) {
    update_evictability(node, tile);
    return;
  }
  for (int gpu = 1; gpu < platform_.nodes(); ++gpu) update_evictability(gpu, tile);
}

/// Returns how the copy of a tile at the node of a GPU may be evicted.
Evictability Runtime::find_evictability(int node, Tile tile) const {
  if (!copies_.is_valid(node, tile)) return Evictability::none;
  if (copies_.is_absent(kHub, tile)) return Evictability::after_return;
  return copies_.is_valid(kHub, tile) && !directions_.has_transfer_from(node, tile)
             ? Evictability::at_once
             : Evictability::none;
}

/// Reports how the copy of a tile at a node may be evicted after a change of a copy of the tile or
/// of the transfers from the node.
void Runtime::update_evictability(int node, Tile tile) {
  if (memory(node) && memory(node)->is_tracking())
    memory(node)->set_evictability(tile, find_evictability(node, tile));
}

void Runtime::mark_absent(int node, Tile tile) {
  set_state(node, tile, CopyState::absent);
  scheduler_.strategy().on_copy_change(node, tile);
}

void Runtime::mark_in_flight(int node, Tile tile) {
  set_state(node, tile, CopyState::in_flight);
  scheduler_.strategy().on_copy_change(node, tile);
}

void Runtime::request(int node, Tile tile) {
  if (!copies_.is_absent(node, tile)) return;
  mark_in_flight(node, tile);
  if (memory(node) && !reserve_memory(node)) {
    memory(node)->waiting.push_back(tile);
    make_room(node);
  } else {
    fetch(node, tile);
  }
}

/// Transfers a tile to `node` from the hub if it has a valid copy, otherwise from the GPU that has
/// one, directly or through the hub.
void Runtime::fetch(int node, Tile tile) {
  const int source = copies_.source(tile);
  if (source != kHub && node != kHub && options_.relay) {
    second_hops_.push_back({.tile = tile, .from = kHub, .to = node});
    if (copies_.is_absent(kHub, tile)) return_to_hub(source, tile);
  } else {
    add_transfer({.tile = tile, .from = source, .to = node});
  }
}

void Runtime::return_to_hub(int node, Tile tile) {
  if (!copies_.is_absent(kHub, tile)) return;
  mark_in_flight(kHub, tile);
  add_transfer({.tile = tile, .from = node, .to = kHub});
}

void Runtime::add_transfer(const Transfer& transfer) {
  directions_.add(transfer, now_s_);
  update_evictability(transfer.from, transfer.tile);
  start_transfers();
}

void Runtime::start_transfers() {
  for (const int direction : directions_.started) {
    started.push_back({.kind = Activity::Kind::transfer, .resource = direction});
  }
  directions_.started.clear();
}

void Runtime::pin(int node, const Operands& operands) {
  memory(node)->pin(operands.target);
  memory(node)->pin(operands.first);
  if (!operands.reduction) memory(node)->pin(operands.second);
}

void Runtime::unpin(int node, const Operands& operands) {
  const auto unpin_tile = [&](Tile tile) {
    memory(node)->unpin(tile);
    update_evictability(node, tile);
  };
  unpin_tile(operands.target);
  unpin_tile(operands.first);
  if (!operands.reduction) unpin_tile(operands.second);
  make_room(node);
}

/// Removes the copy of a tile from the memory of a GPU.
void Runtime::evict(int node, Tile tile) {
  mark_absent(node, tile);
  evictions.push_back({.tile = tile, .node = node});
  memory(node)->forget(tile);
  memory(node)->release();
}

/// Makes sure that the memory of a GPU knows which copies may be evicted. As long as memories never
/// fill, none needs to know.
void Runtime::start_tracking(int node) {
  GpuMemory& own = *memory(node);
  if (!own.is_tracking())
    own.start_tracking([&](Tile tile) { return find_evictability(node, tile); });
}

/// Returns the copy at `node` to be evicted next, among those that may be evicted in this way;
/// empty if there is none.
std::optional<Tile> Runtime::find_victim(int node, Evictability evictability) const {
  return memories_[static_cast<std::size_t>(node)]->find_victim(
      evictability, [&](Tile tile) { return scheduler_.strategy().eviction_rank(node, tile); });
}

/// Reserves space for one tile at `node`. Without free space, evicts the tile of lowest rank of
/// which the hub has a copy. Returns false if there is none, or if a tile of lower rank has to
/// return to the hub first.
bool Runtime::reserve_memory(int node) {
  GpuMemory& own = *memory(node);
  if (own.reserve()) return true;
  start_tracking(node);
  const auto victim = find_victim(node, Evictability::at_once);
  if (!victim) return false;
  if (const std::int64_t rank = scheduler_.strategy().eviction_rank(node, *victim); rank > 0) {
    const auto other = find_victim(node, Evictability::after_return);
    if (other && scheduler_.strategy().eviction_rank(node, *other) < rank) return false;
  }
  evict(node, *victim);
  return own.reserve();
}

/// Serves the requests that wait for space at `node`, in order. For those that still have to wait,
/// returns tiles of C to the hub, to be evicted when they have arrived.
void Runtime::make_room(int node) {
  GpuMemory& own = *memory(node);
  while (!own.waiting.empty() && reserve_memory(node)) {
    const Tile tile = own.waiting.front();
    own.waiting.pop_front();
    fetch(node, tile);
  }
  while (own.written_back.size() < own.waiting.size()) {
    const auto victim = find_victim(node, Evictability::after_return);
    if (!victim) return;
    own.written_back.insert(*victim);
    return_to_hub(node, *victim);
  }
}

/// Evicts the copies of a tile of C that has arrived at the hub from the GPUs where no planned task
/// uses it.
void Runtime::evict_unused_copies(Tile tile) {
  for (int node = 1; node < platform_.nodes(); ++node) {
    if (!memory(node)) continue;
    memory(node)->written_back.erase(tile);
    const bool is_removable = copies_.is_valid(node, tile) && memory(node)->is_unused(tile) &&
                              !directions_.has_transfer_from(node, tile);
    if (is_removable) evict(node, tile);
    make_room(node);
  }
}

std::string Runtime::describe_deadlock() const {
  for (int node = 1; node < platform_.nodes(); ++node) {
    const auto& memory = memories_[static_cast<std::size_t>(node)];
    if (!memory || memory->waiting.empty()) continue;
    return fmt::format("the memory of GPU {} ({} tiles) cannot hold the 3 tiles of a task", node,
                       *platform_.link(node).memory_tiles);
  }
  return fmt::format("{} tasks {}", dependencies_.remaining_tasks(),
                     scheduler_.has_stopped_workers() ? "wait for a worker that has stopped"
                                                      : "are assigned to no worker");
}

}  // namespace starport::tiles
