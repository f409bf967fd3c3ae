#include "heuristics/tiles/heteroprio.hpp"

namespace starport::tiles {

HeteroPrio::HeteroPrio(const StrategyContext& context)
    : context_(context), bucket_(context, 1), stored_(context.platform.workers.size()) {
  std::array<double, 2> total_s{};
  for (std::size_t w = 0; w < stored_.size(); ++w) {
    total_s[kind(static_cast<int>(w))] += context.platform.workers[w].update_s;
    ++running_[kind(static_cast<int>(w))];
  }
  if (running_[0] == 0 || running_[1] == 0) return;
  const auto mean_s = [&](std::size_t of) {
    return total_s[of] / static_cast<double>(running_[of]);
  };
  const std::size_t slow = mean_s(0) > mean_s(1) ? 0 : 1;
  slow_down_[slow] = mean_s(slow) / mean_s(1 - slow);
}

std::optional<int> HeteroPrio::push(const Task& task, double /*now_s*/) {
  bucket_.push(0, task);
  return std::nullopt;
}

bool HeteroPrio::may_take(int worker) const {
  const std::size_t tasks = bucket_.tasks(0).size();
  const std::size_t own = kind(worker);
  return tasks > 0 &&
         static_cast<double>(tasks) >= slow_down_[own] * static_cast<double>(running_[1 - own]);
}

std::optional<Task> HeteroPrio::pop(int worker) {
  std::optional<Task>& own = stored_[static_cast<std::size_t>(worker)];
  const bool plenty = bucket_.tasks(0).size() >= running_[0] + running_[1];
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
  --running_[kind(worker)];
  std::optional<Task>& own = stored_[static_cast<std::size_t>(worker)];
  if (own) bucket_.push(0, *own);
  own.reset();
}

}  // namespace starport::tiles
