#include "sim/tiles/scheduler.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starport::tiles {

TimelyRule::TimelyRule(const Platform& platform, const TaskGraph& graph)
    : remaining_tasks_(graph.tasks()), targets_(graph.targets()) {
  for (const Worker& worker : platform.workers)
    workers_.push_back({.update_s = worker.update_s, .is_gpu = worker.node != kHub});
  update_speeds();
}

bool TimelyRule::is_late(int worker) const {
  const auto tasks = static_cast<double>(remaining_tasks_);
  const double chain_tasks = std::max(0.0, tasks / static_cast<double>(targets_) - 1);
  return std::isfinite(gpu_task_s_) &&
         workers_[static_cast<std::size_t>(worker)].update_s + chain_tasks * gpu_task_s_ >
             tasks / tasks_per_s_;
}

void TimelyRule::on_worker_stop(int worker) {
  workers_[static_cast<std::size_t>(worker)].stopped = true;
  update_speeds();
}

/// Sums up the speeds of the workers that have not stopped.
void TimelyRule::update_speeds() {
  tasks_per_s_ = 0;
  gpu_task_s_ = std::numeric_limits<double>::infinity();
  for (const Speed& worker : workers_) {
    if (worker.stopped) continue;
    tasks_per_s_ += 1 / worker.update_s;
    if (worker.is_gpu) gpu_task_s_ = std::min(gpu_task_s_, worker.update_s);
  }
}

Scheduler::Scheduler(const StrategyContext& context, const StrategyMaker& strategy,
                     OnAssigned on_assigned)
    : platform_(context.platform),
      graph_(context.graph),
      copies_(context.copies),
      queues_(context.platform.workers.size()),
      planned_tasks_(static_cast<std::size_t>(context.runtime.planned_tasks)),
      cpus_(context.runtime.cpus),
      fetches_for_one_task_(context.runtime.fetches_for_one_task),
      timely_(context.platform, context.graph),
      on_assigned_(std::move(on_assigned)),
      strategy_(strategy(context)) {}

void Scheduler::push(const Task& task, double now_s) {
  const auto worker = strategy_->push(task, now_s);
  if (!worker) return;
  if (fetches_for_one_task_ && platform_.worker(*worker).node != kHub) {
    throw SimulationError(fmt::format(
        "push() assigns a task to GPU {}, which takes tasks one by one (fetches_for_one_task)",
        platform_.worker(*worker).node));
  }
  WorkerQueue& own = at(*worker);
  if (waiting_.empty()) waiting_.resize(static_cast<std::size_t>(graph_.targets()));
  waiting_[static_cast<std::size_t>(task.target)] = {
      .worker = *worker, .place = own.waiting.insert(own.waiting.end(), task)};
  if (own.tasks.size() < window(*worker)) plan_next(*worker);
  on_assigned_(*worker, {.task = task});
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
  for (std::size_t tasks = 0; tasks <= planned_tasks_; ++tasks) {
    for (std::size_t w = 0; w < queues_.size(); ++w) {
      const auto worker = static_cast<int>(w);
      if (queues_[w].tasks.size() != tasks || !has_room(worker)) continue;
      const auto task = (strategy_.get()->*hook)(worker);
      if (!task) continue;
      queues_[w].tasks.push_back({.task = *task, .stolen = hook == &Strategy::steal});
      on_assigned_(worker, queues_[w].tasks.back());
      return true;
    }
  }
  return false;
}

/// Returns the number of tasks that the strategy assigns to a worker, the current one included.
std::size_t Scheduler::window(int worker) const {
  const bool plans = cpus_ == CpuRule::plan || platform_.worker(worker).node != kHub;
  return 1 + (plans ? planned_tasks_ : 0);
}

/// Returns true if a worker that has not stopped can be assigned a task.
bool Scheduler::has_room(int worker) const {
  const WorkerQueue& own = at(worker);
  if (own.stopped || own.tasks.size() >= window(worker)) return false;
  if (fetches_for_one_task_ && awaits_tiles(worker)) return false;
  return cpus_ != CpuRule::timely || platform_.worker(worker).node != kHub ||
         !timely_.is_late(worker);
}

/// Returns true if tiles of the last task in the queue of a GPU's worker have not arrived.
bool Scheduler::awaits_tiles(int worker) const {
  const int node = platform_.worker(worker).node;
  const auto& tasks = at(worker).tasks;
  return node != kHub && !tasks.empty() &&
         !copies_.are_valid(node, graph_.operands(tasks.back().task));
}

/// Plans the task that the strategy chooses among those that push() has assigned to the worker and
/// that are not planned yet. There must be one.
void Scheduler::plan_next(int worker) {
  WorkerQueue& own = at(worker);
  const Task chosen = strategy_->choose_planned(worker).value_or(own.waiting.front());
  const bool is_target = chosen.target >= 0 && chosen.target < graph_.targets();
  WaitingTask& waiting = waiting_[static_cast<std::size_t>(is_target ? chosen.target : 0)];
  if (!is_target || waiting.worker != worker || *waiting.place != chosen) {
    throw SimulationError(
        fmt::format("worker {} is to plan task {} of target {}, which does not wait for it",
                    platform_.worker(worker).number + 1, chosen.k, chosen.target));
  }
  own.waiting.erase(std::exchange(waiting, {}).place);
  own.tasks.push_back({.task = chosen});
}

bool Scheduler::has_stopped_workers() const {
  return std::any_of(queues_.begin(), queues_.end(),
                     [](const WorkerQueue& queue) { return queue.stopped; });
}

AssignedTask Scheduler::remove_current(int worker) {
  WorkerQueue& own = at(worker);
  const AssignedTask ended = own.tasks.front();
  own.tasks.pop_front();
  timely_.on_task_end();
  if (!own.waiting.empty()) plan_next(worker);
  return ended;
}

std::vector<AssignedTask> Scheduler::stop(int worker, std::size_t kept) {
  WorkerQueue& own = at(worker);
  own.stopped = true;
  timely_.on_worker_stop(worker);
  strategy_->on_worker_stop(worker);
  const auto first = own.tasks.begin() + static_cast<std::ptrdiff_t>(kept);
  std::vector<AssignedTask> removed(first, own.tasks.end());
  own.tasks.erase(first, own.tasks.end());
  for (const Task& task : own.waiting) {
    waiting_[static_cast<std::size_t>(task.target)] = {};
    removed.push_back({.task = task});
  }
  own.waiting.clear();
  return removed;
}

}  // namespace starport::tiles
