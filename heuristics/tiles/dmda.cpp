#include "heuristics/tiles/dmda.hpp"

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <limits>

namespace starport::tiles {

Dmda::Dmda(const StrategyContext& context)
    : context_(context), expectations_(context.platform.workers.size()) {}

double Dmda::task_duration_s(int worker, const Task& task) const {
  return task_time_s(context_.platform.worker(worker), context_.graph.is_reduction(task));
}

/// Returns the nominal time to transfer the absent operands to `node`, one after the other. As in
/// StarPU, a transfer between GPUs counts as two transfers through the hub.
double Dmda::transfer_penalty_s(int node, const Operands& operands) const {
  const auto arrival_s = [&](Tile tile) {
    if (!context_.copies.is_absent(node, tile)) return 0.0;
    const int source = context_.copies.source(tile);
    const double in_s = node == kHub ? 0 : transfer_time_s(context_.platform, kHub, node);
    const double out_s = source == kHub ? 0 : transfer_time_s(context_.platform, source, kHub);
    return out_s + in_s;
  };
  return arrival_s(operands.target) + arrival_s(operands.first) +
         (operands.reduction ? 0 : arrival_s(operands.second));
}

std::optional<int> Dmda::push(const Task& task, double now_s) {
  const Operands operands = context_.graph.operands(task);
  int chosen = 0;
  double chosen_penalty_s = 0;
  double earliest_end_s = std::numeric_limits<double>::infinity();
  for (std::size_t w = 0; w < expectations_.size(); ++w) {
    if (expectations_[w].stopped) continue;
    const auto worker = static_cast<int>(w);
    const double wait_s = transfer_penalty_s(context_.platform.worker(worker).node, operands);
    const double end_s =
        std::max(now_s, expectations_[w].end_s) + task_duration_s(worker, task) + wait_s;
    if (!clearly_less(end_s, earliest_end_s)) continue;  // the first worker wins ties
    chosen = worker;
    chosen_penalty_s = wait_s;
    earliest_end_s = end_s;
  }
  Expectation& expectation = expectations_[static_cast<std::size_t>(chosen)];
  const double duration_s = task_duration_s(chosen, task);
  expectation.end_s = std::max({now_s, expectation.end_s, now_s + chosen_penalty_s}) + duration_s;
  expectation.queued_s += duration_s;
  ++expectation.queued;
  return chosen;
}

void Dmda::on_task_end(int worker, const Task& task, double now_s) {
  Expectation& expectation = expectations_[static_cast<std::size_t>(worker)];
  --expectation.queued;
  expectation.queued_s =
      expectation.queued == 0
          ? 0
          : expectation.queued_s -
                task_duration_s(worker, task);  // avoids accumulating rounding errors
  expectation.end_s = now_s + expectation.queued_s;
}

// The tasks planned for the worker are pushed again, to other workers.
void Dmda::on_worker_stop(int worker) {
  expectations_[static_cast<std::size_t>(worker)] = {.stopped = true};
}

}  // namespace starport::tiles
