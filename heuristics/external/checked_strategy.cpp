#include "heuristics/external/checked_strategy.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace starport::tiles {
namespace {

constexpr std::int32_t kNone = -1;

}  // namespace

CheckedStrategy::CheckedStrategy(const StrategyContext& context, std::unique_ptr<Strategy> strategy)
    : context_(context),
      strategy_(std::move(strategy)),
      stored_(static_cast<std::size_t>(context.graph.targets()), kNone),
      stopped_(context.platform.workers.size()) {}

std::optional<int> CheckedStrategy::push(const Task& task, double now_s) {
  const auto worker = strategy_->push(task, now_s);
  if (!worker) {
    stored_[static_cast<std::size_t>(task.target)] = task.k;
    return worker;
  }
  if (*worker < 0 || *worker >= std::ssize(stopped_)) {
    throw SimulationError(fmt::format("{} is assigned to worker {} of {}",
                                      describe(context_.graph, task), *worker + 1,
                                      stopped_.size()));
  }
  if (stopped_[static_cast<std::size_t>(*worker)]) {
    throw SimulationError(fmt::format("{} is assigned to worker {}, which has stopped",
                                      describe(context_.graph, task),
                                      context_.platform.worker(*worker).number + 1));
  }
  return worker;
}

void CheckedStrategy::on_worker_stop(int worker) {
  stopped_[static_cast<std::size_t>(worker)] = true;
  strategy_->on_worker_stop(worker);
}

std::optional<Task> CheckedStrategy::check_task(int worker, const std::optional<Task>& task) {
  if (!task) return task;
  const bool is_target = task->target >= 0 && task->target < context_.graph.targets();
  if (!is_target || task->k < 0 || stored_[static_cast<std::size_t>(task->target)] != task->k) {
    throw SimulationError(
        fmt::format("worker {} is given {}, which is not ready or has a worker",
                    context_.platform.worker(worker).number + 1,
                    is_target ? describe(context_.graph, *task)
                              : fmt::format("task {} of target {}", task->k, task->target)));
  }
  stored_[static_cast<std::size_t>(task->target)] = kNone;
  return task;
}

void check_allocation(const Platform& platform, const ProductSize& size,
                      const Allocation& allocation) {
  if (allocation.size != size) {
    throw SimulationError("the allocation is for a product of another size");
  }
  const std::int64_t count = std::ssize(allocation.nodes);
  if (count != size.cells() && count != size.updates()) {
    throw SimulationError(fmt::format(
        "the allocation has {} memory nodes instead of {}, one per tile of C, or {}, one per task",
        count, size.cells(), size.updates()));
  }
  const std::vector<double> speeds = node_speeds(platform);
  for (const std::int32_t node : allocation.nodes) {
    if (node >= 0 && node < platform.nodes() && speeds[static_cast<std::size_t>(node)] > 0)
      continue;
    throw SimulationError(
        fmt::format("the allocation names memory node {}, which has no worker", node));
  }
}

}  // namespace starport::tiles
