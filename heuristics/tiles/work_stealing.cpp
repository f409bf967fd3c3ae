#include "heuristics/tiles/work_stealing.hpp"

namespace starport::tiles {

std::optional<int> WorkStealing::push(const Task& task, double /*now_s*/) {
  for (int step = 0; !ended_ && step < workers_; ++step) {
    last_pushed_ = (last_pushed_ + 1) % workers_;
    if (!stopped_[static_cast<std::size_t>(last_pushed_)]) break;
  }
  lists_.push(ended_.value_or(last_pushed_), task);
  ended_.reset();
  return std::nullopt;
}

std::optional<Task> WorkStealing::pop(int worker) {
  if (lists_.is_empty(worker)) return std::nullopt;
  return lists_.remove_front(worker);
}

std::optional<Task> WorkStealing::steal(int worker) {
  if (lists_.are_empty()) return std::nullopt;
  int& victim = victims_[static_cast<std::size_t>(worker)];
  while (lists_.is_empty(victim)) victim = (victim + 1) % workers_;
  const Task task = lists_.remove_back(victim);
  victim = (victim + 1) % workers_;
  return task;
}

void WorkStealing::on_task_end(int worker, const Task& /*task*/, double /*now_s*/) {
  ended_.reset();
  if (!stopped_[static_cast<std::size_t>(worker)]) ended_ = worker;
}

void WorkStealing::on_worker_stop(int worker) {
  stopped_[static_cast<std::size_t>(worker)] = true;
  ended_.reset();
}

}  // namespace starport::tiles
