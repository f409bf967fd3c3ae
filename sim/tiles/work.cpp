#include "sim/tiles/work.hpp"

#include <algorithm>
#include <utility>

namespace starport::tiles {

Work::Work(std::int32_t n, std::optional<Allocation> allocation)
    : tiling_{n}, allocation_(std::move(allocation)) {
  if (!allocation_ || !allocation_->redux) return;
  parts_.resize(static_cast<std::size_t>(tiling_.square()));
  for (std::int32_t cell = 0; cell < tiling_.square(); ++cell) share(cell);
}

/// An auxiliary tile for each node that shares the tile of C, in the order of their first k.
void Work::share(std::int32_t cell) {
  std::vector<Auxiliary> sharers;
  for (std::int32_t k = 0; k < tiling_.n; ++k) {
    const int node = allocation_->node(cell / tiling_.n, cell % tiling_.n, k);
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

std::int64_t Work::tasks() const {
  return std::int64_t{tiling_.square()} * tiling_.n +
         static_cast<std::int64_t>(auxiliaries_.size());
}

int Work::node(const Task& task) const {
  const std::int32_t cell = cell_of(task.target);
  const std::int32_t k = std::min(task.k, tiling_.n - 1);
  return allocation_->node(cell / tiling_.n, cell % tiling_.n, k);
}

std::vector<Task> Work::first_tasks() const {
  std::vector<Task> tasks;
  for (std::int32_t cell = 0; cell < tiling_.square(); ++cell) {
    if (parts(cell) == 0) tasks.push_back({.target = cell, .k = 0});
    for (std::int32_t part = 0; part < parts(cell); ++part) {
      const std::int32_t target = first_auxiliary(cell) + part;
      tasks.push_back({.target = target, .k = auxiliary(target).ks.front()});
    }
  }
  return tasks;
}

std::optional<Task> Work::next(const Task& task) const {
  if (!is_auxiliary(task.target)) {
    const std::int32_t end = tiling_.n + parts(task.target);
    if (task.k + 1 < end) return Task{.target = task.target, .k = task.k + 1};
    return std::nullopt;
  }
  const auto& ks = auxiliary(task.target).ks;
  const auto after = std::upper_bound(ks.begin(), ks.end(), task.k);
  if (after == ks.end()) return std::nullopt;
  return Task{.target = task.target, .k = *after};
}

Progress::Progress(const Work& work)
    : work_(work),
      left_(work.tasks()),
      complete_(static_cast<std::size_t>(work.targets())),
      reduced_(static_cast<std::size_t>(work.tiling().square())) {}

std::optional<Task> Progress::end(const Task& task) {
  --left_;
  if (work_.is_reduction(task)) {
    const std::int32_t part = ++reduced_[static_cast<std::size_t>(task.target)];
    return reduction(task.target, part);
  }
  if (const auto next = work_.next(task)) return next;
  if (!work_.is_auxiliary(task.target)) return std::nullopt;
  complete_[static_cast<std::size_t>(task.target)] = true;
  return reduction(work_.cell_of(task.target), work_.part_of(task.target));
}

/// Ready when its part is complete and all those before it are added.
std::optional<Task> Progress::reduction(std::int32_t cell, std::int32_t part) const {
  if (part >= work_.parts(cell) || reduced_[static_cast<std::size_t>(cell)] != part)
    return std::nullopt;
  const Task task{.target = cell, .k = work_.tiling().n + part};
  const std::int32_t target = work_.needs(task).first - work_.tiling().target(0);
  if (!complete_[static_cast<std::size_t>(target)]) return std::nullopt;
  return task;
}

}  // namespace starport::tiles
