#include "heuristics/tiles/dmda.hpp"

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace starport::tiles {

Dmda::Dmda(const StrategyContext& context, const Parameters& parameters)
    : context_(context), parameters_(parameters), expectations_(context.platform.workers.size()) {}

double Dmda::task_duration_s(int worker, const Task& task) const {
  return task_time_s(context_.platform.worker(worker), context_.graph.is_reduction(task));
}

/// Returns the time to transfer the absent operands to `node`, one after the other. As in StarPU, a
/// transfer between GPUs counts as two transfers through the hub.
double Dmda::transfer_penalty_s(int node, const Operands& operands) const {
  const double sharers =
      parameters_.transfers == Transfers::starpu ? 2.0 * (context_.platform.nodes() - 1) : 1.0;
  const auto hop_s = [&](int from, int to) {
    if (from == to) return 0.0;
    const double latency_s = transfer_latency_s(context_.platform, from, to);
    return latency_s + sharers * (transfer_time_s(context_.platform, from, to) - latency_s);
  };
  const auto arrival_s = [&](Tile tile) {
    if (!context_.copies.is_absent(node, tile)) return 0.0;
    return hop_s(context_.copies.source(tile), kHub) + hop_s(kHub, node);
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
    const double free_s = std::max(now_s, expectations_[w].end_s);
    const double start_s =
        parameters_.transfers == Transfers::starpu ? std::max(free_s, now_s + wait_s) : free_s;
    const double end_s = start_s + task_duration_s(worker, task) + wait_s;
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

/// Among equal tasks prefers the one with the fewest tiles that were not even requested, then the
/// one assigned first.
std::size_t Dmda::choose_planned(int worker, const std::deque<AssignedTask>& queue,
                                 std::size_t first) {
  if (parameters_.order == Order::assigned) return first;
  const int node = context_.platform.worker(worker).node;
  const auto place = [&](const Task& task) {
    const Operands operands = context_.graph.operands(task);
    int missing = 0;
    for (const Tile tile : {operands.target, operands.first, operands.second})
      missing += int{!context_.copies.is_valid(node, tile)};
    return std::tuple(parameters_.order == Order::sorted ? task.k : 0, missing,
                      context_.copies.transfer_cost(node, operands));
  };
  const auto next = std::min_element(
      queue.begin() + static_cast<std::ptrdiff_t>(first), queue.end(),
      [&](const AssignedTask& a, const AssignedTask& b) { return place(a.task) < place(b.task); });
  return static_cast<std::size_t>(next - queue.begin());
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
