#include "heuristics/tiles/dmda.hpp"

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace starport::tiles {
namespace {

/// Returns the rank of a task in the order in which a worker plans its tasks: four times the number
/// of its tiles that have not arrived at the worker's node, plus the number of those that were not
/// even requested.
std::int32_t planning_rank(const Copies& copies, int node, const Operands& operands) {
  std::int32_t missing = 0;
  for (const Tile tile : {operands.target, operands.first, operands.second}) {
    missing += std::int32_t{!copies.is_valid(node, tile)};
  }
  return 4 * missing + copies.transfer_cost(node, operands);
}
constexpr std::int32_t kPlaces = 16;

constexpr TaskLists::Cost kReady{
    .compute = [](const Copies& copies, int node, const Task& /*task*/,
                  const Operands& operands) { return planning_rank(copies, node, operands); },
    .highest = kPlaces - 1};
constexpr TaskLists::Cost kSorted{
    .compute =
        [](const Copies& copies, int node, const Task& task, const Operands& operands) {
          return kPlaces * task.k + planning_rank(copies, node, operands);
        },
    .highest = std::numeric_limits<std::int32_t>::max()};

}  // namespace

Dmda::Dmda(const StrategyContext& context, const Parameters& parameters)
    : context_(context), parameters_(parameters), expectations_(context.platform.workers.size()) {
  if (parameters.order == Order::assigned) return;
  assigned_.emplace(context, static_cast<int>(expectations_.size()),
                    parameters.order == Order::ready ? kReady : kSorted);
}

double Dmda::task_duration_s(int worker, const Task& task) const {
  return task_time_s(context_.platform.worker(worker), context_.graph.is_reduction(task));
}

/// Returns the time to transfer the absent operands to `node`, one after the other. As in StarPU
/// without direct copies, a transfer between GPUs counts as two transfers through the hub, except
/// in the order of CUDA.
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
    const int source = context_.copies.source(tile);
    if (source == context_.platform.nodes()) return 0.0;  // no content before a task writes it
    if (context_.runtime.cuda_order) return hop_s(source, node);
    return hop_s(source, kHub) + hop_s(kHub, node);
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
  if (assigned_) assigned_->push(chosen, task);
  return chosen;
}

std::optional<Task> Dmda::choose_planned(int worker) {
  if (!assigned_) return std::nullopt;
  const int node = context_.platform.worker(worker).node;
  return assigned_->remove(assigned_->find_cheapest(node, worker).task);
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
  while (assigned_ && !assigned_->is_empty(worker)) assigned_->remove_front(worker);
}

}  // namespace starport::tiles
