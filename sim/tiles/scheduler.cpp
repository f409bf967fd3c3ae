#include "sim/tiles/scheduler.hpp"

#include <algorithm>
#include <utility>

namespace starport::tiles {

Scheduler::Scheduler(const StrategyContext& context, const StrategyMaker& strategy,
                     int planned_tasks, OnAssigned on_assigned)
    : queues_(context.platform.workers.size()),
      window_(static_cast<std::size_t>(1 + planned_tasks)),
      on_assigned_(std::move(on_assigned)),
      strategy_(strategy(context)) {}

void Scheduler::push(const Task& task, double now_s) {
  if (const auto worker = strategy_->push(task, now_s)) enqueue(*worker, {.task = task});
}

void Scheduler::assign_tasks() {
  while (assign_one_task(&Strategy::pop)) {
  }
  while (assign_one_task(&Strategy::steal)) {
  }
}

/// Assigns one task to the first worker for which `hook` returns one. Returns false if there is
/// none.
bool Scheduler::assign_one_task(Hook hook) {
  for (std::size_t tasks = 0; tasks < window_; ++tasks) {
    for (std::size_t w = 0; w < queues_.size(); ++w) {
      if (queues_[w].tasks.size() != tasks || queues_[w].stopped) continue;
      const auto worker = static_cast<int>(w);
      const auto task = (strategy_.get()->*hook)(worker);
      if (!task) continue;
      enqueue(worker, {.task = *task, .stolen = hook == &Strategy::steal});
      return true;
    }
  }
  return false;
}

void Scheduler::enqueue(int worker, const AssignedTask& assigned) {
  at(worker).tasks.push_back(assigned);
  on_assigned_(worker);
}

bool Scheduler::has_stopped_workers() const {
  return std::any_of(queues_.begin(), queues_.end(),
                     [](const WorkerQueue& queue) { return queue.stopped; });
}

AssignedTask Scheduler::remove_current(int worker) {
  WorkerQueue& own = at(worker);
  const AssignedTask ended = own.tasks.front();
  own.tasks.pop_front();
  return ended;
}

std::vector<AssignedTask> Scheduler::stop(int worker, std::size_t kept) {
  WorkerQueue& own = at(worker);
  own.stopped = true;
  strategy_->on_worker_stop(worker);
  const auto first = own.tasks.begin() + static_cast<std::ptrdiff_t>(kept);
  std::vector<AssignedTask> removed(first, own.tasks.end());
  own.tasks.erase(first, own.tasks.end());
  return removed;
}

}  // namespace starport::tiles
