#include "sim/tiles/task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace starport::tiles {

TaskGraph::TaskGraph(const ProductSize& size, std::optional<Allocation> allocation)
    : numbering_{size}, allocation_(std::move(allocation)) {
  if (!allocation_ || !allocation_->redux) return;
  parts_.resize(static_cast<std::size_t>(numbering_.cells()));
  for (std::int32_t cell = 0; cell < numbering_.cells(); ++cell) add_auxiliaries(cell);
}

/// Adds one auxiliary tile per node if several nodes share this tile of C, in the order of the
/// nodes' first k.
void TaskGraph::add_auxiliaries(std::int32_t cell) {
  std::vector<Auxiliary> sharers;
  for (std::int32_t k = 0; k < numbering_.t; ++k) {
    const std::int32_t node = allocation_->node(cell, k);
    auto sharer = std::find_if(sharers.begin(), sharers.end(),
                               [&](const Auxiliary& other) { return other.node == node; });
    if (sharer == sharers.end()) {
      sharers.push_back({.cell = cell, .node = node});
      sharer = std::prev(sharers.end());
    }
    sharer->ks.push_back(k);
  }
  if (sharers.size() < 2) return;
  parts_[static_cast<std::size_t>(cell)] = {.first = targets(),
                                            .count = static_cast<std::int32_t>(sharers.size())};
  std::move(sharers.begin(), sharers.end(), std::back_inserter(auxiliaries_));
}

std::int64_t TaskGraph::tasks() const {
  return numbering_.updates() + static_cast<std::int64_t>(auxiliaries_.size());
}

int TaskGraph::node(const Task& task) const {
  const std::int32_t cell = cell_of(task.target);
  const std::int32_t k = std::min(task.k, numbering_.t - 1);
  return allocation_->node(cell, k);
}

std::vector<Task> TaskGraph::initial_tasks() const {
  std::vector<Task> tasks;
  for (std::int32_t cell = 0; cell < numbering_.cells(); ++cell) {
    if (parts(cell) == 0) tasks.push_back({.target = cell, .k = 0});
    for (std::int32_t part = 0; part < parts(cell); ++part) {
      const std::int32_t target = first_auxiliary(cell) + part;
      tasks.push_back({.target = target, .k = auxiliary(target).ks.front()});
    }
  }
  return tasks;
}

std::optional<Task> TaskGraph::next(const Task& task) const {
  if (!is_auxiliary(task.target)) {
    const std::int32_t end = numbering_.t + parts(task.target);
    if (task.k + 1 < end) return Task{.target = task.target, .k = task.k + 1};
    return std::nullopt;
  }
  const auto& ks = auxiliary(task.target).ks;
  const auto after = std::upper_bound(ks.begin(), ks.end(), task.k);
  if (after == ks.end()) return std::nullopt;
  return Task{.target = task.target, .k = *after};
}

std::string describe(const TaskGraph& graph, const Task& task) {
  const ProductSize& size = graph.numbering();
  const std::int32_t cell = graph.cell_of(task.target);
  if (graph.is_reduction(task)) {
    return fmt::format("reduction {} of C({}, {})", task.k - size.t, size.row(cell),
                       size.column(cell));
  }
  return fmt::format("task ({}, {}, {})", size.row(cell), size.column(cell), task.k);
}

DependencyTracker::DependencyTracker(const TaskGraph& graph)
    : graph_(graph),
      remaining_tasks_(graph.tasks()),
      accumulated_(static_cast<std::size_t>(graph.targets())),
      reduced_parts_(static_cast<std::size_t>(graph.numbering().cells())) {}

std::optional<Task> DependencyTracker::complete(const Task& task) {
  --remaining_tasks_;
  if (graph_.is_reduction(task)) {
    const std::int32_t part = ++reduced_parts_[static_cast<std::size_t>(task.target)];
    return reduction_if_ready(task.target, part);
  }
  if (const auto next = graph_.next(task)) return next;
  if (!graph_.is_auxiliary(task.target)) return std::nullopt;
  accumulated_[static_cast<std::size_t>(task.target)] = true;
  return reduction_if_ready(graph_.cell_of(task.target), graph_.part_of(task.target));
}

/// Returns the reduction of `part` if that part has all its updates and all parts before it have
/// been added.
std::optional<Task> DependencyTracker::reduction_if_ready(std::int32_t cell,
                                                          std::int32_t part) const {
  if (part >= graph_.parts(cell) || reduced_parts_[static_cast<std::size_t>(cell)] != part)
    return std::nullopt;
  const Task task{.target = cell, .k = graph_.numbering().t + part};
  const std::int32_t target = graph_.operands(task).first - graph_.numbering().target(0);
  if (!accumulated_[static_cast<std::size_t>(target)]) return std::nullopt;
  return task;
}

}  // namespace starport::tiles
