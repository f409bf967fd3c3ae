#include "heuristics/tiles/heteroprio.hpp"

namespace starport::tiles {

HeteroPrio::HeteroPrio(const StrategyContext& context)
    : context_(context),
      bucket_(context, 1),
      stored_(context.platform.workers.size()),
      running_(context.platform.workers.size()) {
  std::array<double, 2> total_s{};
  std::array<double, 2> count{};
  for (std::size_t w = 0; w < stored_.size(); ++w) {
    total_s[kind(static_cast<int>(w))] += context.platform.workers[w].update_s;
    ++count[kind(static_cast<int>(w))];
  }
  if (count[0] == 0 || count[1] == 0) return;
  const std::size_t slow = total_s[0] / count[0] > total_s[1] / count[1] ? 0 : 1;
  const std::size_t fast = 1 - slow;
  required_[slow] = total_s[slow] / count[slow] / (total_s[fast] / count[fast]) * count[fast];
}

std::optional<int> HeteroPrio::push(const Task& task, double /*now_s*/) {
  bucket_.push(0, task);
  return std::nullopt;
}

bool HeteroPrio::may_take(int worker) const {
  const std::size_t tasks = bucket_.tasks(0).size();
  return tasks > 0 && static_cast<double>(tasks) >= required_[kind(worker)];
}

std::optional<Task> HeteroPrio::pop(int worker) {
  std::optional<Task>& own = stored_[static_cast<std::size_t>(worker)];
  const bool plenty = bucket_.tasks(0).size() >= running_;
  if (may_take(worker) && (plenty || !own)) {
    const Task first = bucket_.remove_back(0);
    if (own) return first;
    if (!plenty || !may_take(worker)) return first;
    own = first;
    return bucket_.remove_back(0);
  }
  const std::size_t workers = stored_.size();
  for (std::size_t step = 0; step < workers; ++step) {
    const std::size_t victim = (static_cast<std::size_t>(worker) + step) % workers;
    if (!stored_[victim] || kind(static_cast<int>(victim)) != kind(worker)) continue;
    const Task task = *stored_[victim];
    stored_[victim].reset();
    return task;
  }
  return std::nullopt;
}

void HeteroPrio::on_worker_stop(int worker) {
  --running_;
  std::optional<Task>& own = stored_[static_cast<std::size_t>(worker)];
  if (own) bucket_.push(0, *own);
  own.reset();
}

}  // namespace starport::tiles
