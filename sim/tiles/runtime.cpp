#include "sim/tiles/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace starport::tiles {

Runtime::Runtime(const Platform& platform, const TaskGraph& graph, const StrategyMaker& strategy,
                 const RuntimeOptions& rules, std::uint64_t seed)
    : platform_(platform),
      graph_(graph),
      rules_(rules),
      copies_(platform.nodes(), graph.tiles()),
      dependencies_(graph),
      directions_(platform.nodes()),
      stations_(platform.workers.size()),
      workers_of_node_(static_cast<std::size_t>(platform.nodes())),
      memories_(static_cast<std::size_t>(platform.nodes())),
      strategy_(strategy({platform, graph, copies_, seed})) {
  for (std::size_t w = 0; w < platform.workers.size(); ++w) {
    workers_of_node_[static_cast<std::size_t>(platform.workers[w].node)].push_back(
        static_cast<int>(w));
  }
  for (int node = 1; node < platform.nodes(); ++node) {
    const auto capacity = platform.link(node).memory_tiles;
    if (capacity && rules.limited_memory)
      memories_[static_cast<std::size_t>(node)] = std::make_unique<GpuMemory>(*capacity);
  }
}

void Runtime::begin(double now_s, const std::vector<int>& stopped) {
  for (const int worker : stopped) stop(worker, now_s);
  for (const Task& task : graph_.initial_tasks()) push(task, now_s);
  serve();
}

void Runtime::end(const Activity& activity, double now_s) {
  switch (activity.kind) {
    case Activity::Kind::task:
      end_task(activity.place, now_s);
      break;
    case Activity::Kind::transfer:
      end_transfer(activity.place);
      return;  // it gives nobody room for a task
    case Activity::Kind::stop:
      stop(activity.place, now_s);
      break;
  }
  serve();
}

void Runtime::push(const Task& task, double now_s) {
  if (const auto worker = strategy_->push(task, now_s)) plan(*worker, {.task = task});
}

/// Again and again the worker with fewest tasks, the hub's first among equals. All take what is
/// their own before any steals.
void Runtime::serve() {
  while (serve_one(&Strategy::pop)) {
  }
  while (serve_one(&Strategy::steal)) {
  }
}

/// Gives one worker with room one more task.
bool Runtime::serve_one(Hook hook) {
  for (std::size_t tasks = 0; tasks < window(); ++tasks) {
    for (std::size_t w = 0; w < stations_.size(); ++w) {
      if (stations_[w].tasks.size() != tasks || stations_[w].stopped) continue;
      const auto worker = static_cast<int>(w);
      const auto task = (strategy_.get()->*hook)(worker);
      if (!task) continue;
      plan(worker, {.task = *task, .stolen = hook == &Strategy::steal});
      return true;
    }
  }
  return false;
}

/// Where memory is limited, what a strategy has queued behind the planned tasks waits for its tiles
/// until it is planned: else they would fill it.
void Runtime::plan(int worker, const AssignedTask& choice) {
  Station& at = station(worker);
  at.tasks.push_back(choice);
  if (!memory(platform_.worker(worker).node) || at.tasks.size() <= window()) {
    gather(worker, choice.task);
  }
}

/// Asks for the task's tiles.
void Runtime::gather(int worker, const Task& task) {
  const int node = platform_.worker(worker).node;
  const Operands operands = graph_.operands(task);
  if (memory(node)) pin(node, operands);
  request(node, operands.target);
  request(node, operands.first);
  request(node, operands.second);
  start_current(worker);
}

/// The start of a task makes the other copies of the tile that it writes invalid, those on their
/// way too: a worker that has stopped may have asked for them.
void Runtime::start_current(int worker) {
  Station& at = station(worker);
  if (at.running || at.stopped || at.tasks.empty()) return;
  const int node = platform_.worker(worker).node;
  const Operands operands = graph_.operands(at.tasks.front().task);
  if (!copies_.are_valid(node, operands)) return;
  at.running = true;
  started.push_back({.kind = Activity::Kind::task, .place = worker});
  for (int other = 0; other < platform_.nodes(); ++other) {
    if (other == node || copies_.is_absent(other, operands.target)) continue;
    if (!copies_.is_valid(other, operands.target)) {
      directions_.cancel(operands.target, other);
      std::erase_if(onward_, [&](const Transfer& hop) {
        return hop.tile == operands.target && hop.to == other;
      });
    }
    become_absent(other, operands.target);
    if (memory(other)) {
      memory(other)->release();
      serve_requests(other);
    }
  }
  start_transfers();
}

void Runtime::end_task(int worker, double now_s) {
  Station& at = station(worker);
  const Task task = at.tasks.front().task;
  const int node = platform_.worker(worker).node;
  at.tasks.pop_front();
  at.running = false;
  const Operands operands = graph_.operands(task);
  if (memory(node)) {
    unpin(node, operands);
    if (at.tasks.size() >= window()) gather(worker, at.tasks[window() - 1].task);
  }
  strategy_->on_task_end(worker, task, now_s);
  start_current(worker);
  const auto next = dependencies_.complete(task);
  if (!graph_.is_auxiliary(task.target) && !graph_.next(task)) bring_home(node, operands.target);
  if (operands.reduction) bring_home(node, operands.first);
  if (next) push(*next, now_s);
}

void Runtime::end_transfer(int direction) {
  const Transfer transfer = directions_.end(direction);
  start_transfers();
  if (copies_.is_absent(transfer.to, transfer.tile)) return;  // written elsewhere meanwhile
  copies_.set_state(transfer.to, transfer.tile, CopyState::valid);
  if (transfer.to == kHub) {
    const auto waits = [&](const Transfer& hop) { return hop.tile == transfer.tile; };
    const auto hop = std::find_if(onward_.begin(), onward_.end(), waits);
    if (hop != onward_.end()) {
      const Transfer second = *hop;
      onward_.erase(hop);
      add_transfer(second);
    } else {
      leave_room(transfer.tile);
    }
  }
  for (const int worker : workers_of_node_[static_cast<std::size_t>(transfer.to)])
    start_current(worker);
}

/// The task that it runs comes to its end; the planned ones go back. Its memory can still be read.
void Runtime::stop(int worker, double now_s) {
  Station& at = station(worker);
  at.stopped = true;
  strategy_->on_worker_stop(worker);
  const std::size_t kept = at.running ? 1 : 0;
  const std::vector<AssignedTask> tasks(at.tasks.begin(), at.tasks.end());
  at.tasks.resize(kept);
  const int node = platform_.worker(worker).node;
  for (std::size_t place = kept; place < tasks.size(); ++place) {
    if (memory(node) && place < window()) unpin(node, graph_.operands(tasks[place].task));
    push(tasks[place].task, now_s);
  }
}

void Runtime::become_absent(int node, Tile tile) {
  copies_.set_state(node, tile, CopyState::absent);
  strategy_->on_copy_change(node, tile);
}

void Runtime::become_in_flight(int node, Tile tile) {
  copies_.set_state(node, tile, CopyState::in_flight);
  strategy_->on_copy_change(node, tile);
}

void Runtime::request(int node, Tile tile) {
  if (!copies_.is_absent(node, tile)) return;
  become_in_flight(node, tile);
  if (memory(node) && !find_room(node)) {
    memory(node)->waiting.push_back(tile);
  } else {
    fetch(node, tile);
  }
}

/// From the hub if it can, else from the GPU that holds the tile, at once or in two hops.
void Runtime::fetch(int node, Tile tile) {
  const int source = copies_.source(tile);
  if (source != kHub && node != kHub && rules_.relay) {
    onward_.push_back({.tile = tile, .from = kHub, .to = node});
    if (copies_.is_absent(kHub, tile)) bring_home(source, tile);
  } else {
    add_transfer({.tile = tile, .from = source, .to = node});
  }
}

void Runtime::bring_home(int node, Tile tile) {
  if (!copies_.is_absent(kHub, tile)) return;
  become_in_flight(kHub, tile);
  add_transfer({.tile = tile, .from = node, .to = kHub});
}

void Runtime::add_transfer(const Transfer& transfer) {
  directions_.add(transfer);
  start_transfers();
}

void Runtime::start_transfers() {
  for (const int direction : directions_.started) {
    started.push_back({.kind = Activity::Kind::transfer, .place = direction});
  }
  directions_.started.clear();
}

void Runtime::pin(int node, const Operands& operands) {
  if (operands.reduction) return;
  memory(node)->pin(operands.first);
  memory(node)->pin(operands.second);
}

void Runtime::unpin(int node, const Operands& operands) {
  if (operands.reduction) return;
  memory(node)->unpin(operands.first);
  memory(node)->unpin(operands.second);
  serve_requests(node);
}

bool Runtime::find_room(int node) {
  std::optional<Tile> left;
  if (!memory(node)->reserve(left)) return false;
  if (left) {
    become_absent(node, *left);
    evictions.push_back({.tile = *left, .node = node});
  }
  return true;
}

/// Requests that found no room, in order, as far as there is room now.
void Runtime::serve_requests(int node) {
  auto& waiting = memory(node)->waiting;
  while (!waiting.empty() && find_room(node)) {
    const Tile tile = waiting.front();
    waiting.pop_front();
    fetch(node, tile);
  }
}

/// A target that is home takes no room elsewhere.
void Runtime::leave_room(Tile tile) {
  for (int node = 1; node < platform_.nodes(); ++node) {
    if (!memory(node) || !copies_.is_valid(node, tile)) continue;
    become_absent(node, tile);
    evictions.push_back({.tile = tile, .node = node});
    memory(node)->release();
    serve_requests(node);
  }
}

std::string Runtime::obstacle() const {
  for (int node = 1; node < platform_.nodes(); ++node) {
    const auto& memory = memories_[static_cast<std::size_t>(node)];
    if (!memory || memory->waiting.empty()) continue;
    return fmt::format(
        "the memory of GPU {} ({} tiles) is full of tiles of C and of what planned tasks need",
        node, *platform_.link(node).memory_tiles);
  }
  const bool stopped = std::any_of(stations_.begin(), stations_.end(),
                                   [](const Station& station) { return station.stopped; });
  return fmt::format("{} tasks {}", dependencies_.remaining_tasks(),
                     stopped ? "wait for a worker that has stopped" : "are given to no worker");
}

}  // namespace starport::tiles
