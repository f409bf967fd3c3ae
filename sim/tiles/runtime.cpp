#include "sim/tiles/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace starport::tiles {

Runtime::Runtime(const Platform& platform, const Work& work, const StrategyMaker& strategy,
                 const Rules& rules, std::uint64_t seed)
    : platform_(platform),
      work_(work),
      rules_(rules),
      copies_(platform.nodes(), work.tiles()),
      progress_(work),
      directions_(platform.nodes()),
      stations_(platform.workers.size()),
      workers_of_node_(static_cast<std::size_t>(platform.nodes())),
      memories_(static_cast<std::size_t>(platform.nodes())),
      strategy_(strategy({platform, work, copies_, seed})) {
  for (std::size_t w = 0; w < platform.workers.size(); ++w) {
    workers_of_node_[static_cast<std::size_t>(platform.workers[w].node)].push_back(
        static_cast<int>(w));
  }
  for (int node = 1; node < platform.nodes(); ++node) {
    const auto capacity = platform.link(node).memory_tiles;
    if (capacity && rules.limited_memory)
      memories_[static_cast<std::size_t>(node)] = std::make_unique<Memory>(*capacity);
  }
}

void Runtime::begin(double now_s, const std::vector<int>& stopped) {
  for (const int worker : stopped) stop(worker, now_s);
  for (const Task& task : work_.first_tasks()) push(task, now_s);
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
void Runtime::plan(int worker, const Choice& choice) {
  Station& at = station(worker);
  at.tasks.push_back(choice);
  if (!memory(platform_.worker(worker).node) || at.tasks.size() <= window()) {
    gather(worker, choice.task);
  }
}

/// Asks for the task's tiles.
void Runtime::gather(int worker, const Task& task) {
  const int node = platform_.worker(worker).node;
  const Needs needs = work_.needs(task);
  if (memory(node)) pin(node, needs);
  request(node, needs.target);
  request(node, needs.first);
  request(node, needs.second);
  start_current(worker);
}

/// The start of a task makes the other copies of the tile that it writes invalid, those on their
/// way too: a worker that has stopped may have asked for them.
void Runtime::start_current(int worker) {
  Station& at = station(worker);
  if (at.running || at.stopped || at.tasks.empty()) return;
  const int node = platform_.worker(worker).node;
  const Needs needs = work_.needs(at.tasks.front().task);
  if (!copies_.ready(node, needs)) return;
  at.running = true;
  started.push_back({.kind = Activity::Kind::task, .place = worker});
  for (int other = 0; other < platform_.nodes(); ++other) {
    if (other == node || copies_.absent(other, needs.target)) continue;
    if (!copies_.valid(other, needs.target)) {
      directions_.drop(needs.target, other);
      std::erase_if(onward_, [&](const Transfer& hop) {
        return hop.tile == needs.target && hop.to == other;
      });
    }
    become_absent(other, needs.target);
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
  const Needs needs = work_.needs(task);
  if (memory(node)) {
    unpin(node, needs);
    if (at.tasks.size() >= window()) gather(worker, at.tasks[window() - 1].task);
  }
  strategy_->end(worker, task, now_s);
  start_current(worker);
  const auto next = progress_.end(task);
  if (!work_.is_auxiliary(task.target) && !work_.next(task)) bring_home(node, needs.target);
  if (needs.reduction) bring_home(node, needs.first);
  if (next) push(*next, now_s);
}

void Runtime::end_transfer(int direction) {
  const Transfer transfer = directions_.end(direction);
  start_transfers();
  if (copies_.absent(transfer.to, transfer.tile)) return;  // written elsewhere meanwhile
  copies_.set(transfer.to, transfer.tile, Copy::valid);
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
  strategy_->stop(worker);
  const std::size_t kept = at.running ? 1 : 0;
  const std::vector<Choice> tasks(at.tasks.begin(), at.tasks.end());
  at.tasks.resize(kept);
  const int node = platform_.worker(worker).node;
  for (std::size_t place = kept; place < tasks.size(); ++place) {
    if (memory(node) && place < window()) unpin(node, work_.needs(tasks[place].task));
    push(tasks[place].task, now_s);
  }
}

void Runtime::become_absent(int node, Tile tile) {
  copies_.set(node, tile, Copy::absent);
  strategy_->copy(node, tile);
}

void Runtime::become_in_flight(int node, Tile tile) {
  copies_.set(node, tile, Copy::in_flight);
  strategy_->copy(node, tile);
}

void Runtime::request(int node, Tile tile) {
  if (!copies_.absent(node, tile)) return;
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
    if (copies_.absent(kHub, tile)) bring_home(source, tile);
  } else {
    add_transfer({.tile = tile, .from = source, .to = node});
  }
}

void Runtime::bring_home(int node, Tile tile) {
  if (!copies_.absent(kHub, tile)) return;
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

void Runtime::pin(int node, const Needs& needs) {
  if (needs.reduction) return;
  memory(node)->pin(needs.first);
  memory(node)->pin(needs.second);
}

void Runtime::unpin(int node, const Needs& needs) {
  if (needs.reduction) return;
  memory(node)->unpin(needs.first);
  memory(node)->unpin(needs.second);
  serve_requests(node);
}

bool Runtime::find_room(int node) {
  std::optional<Tile> left;
  if (!memory(node)->reserve(left)) return false;
  if (left) {
    become_absent(node, *left);
    departures.push_back({.tile = *left, .node = node});
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
    if (!memory(node) || !copies_.valid(node, tile)) continue;
    become_absent(node, tile);
    departures.push_back({.tile = tile, .node = node});
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
  return fmt::format("{} tasks {}", progress_.left(),
                     stopped ? "wait for a worker that has stopped" : "are given to no worker");
}

}  // namespace starport::tiles
