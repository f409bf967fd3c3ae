// The trace of a run of tile tasks: tasks, transfers and evictions with their dates.
#pragma once

#include "sim/tiles/runtime.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starport::tiles {

/// A task with the worker that ran it and its dates in seconds.
struct TracedTask {
  Task task{};
  std::int32_t worker = 0;
  bool stolen = false;
  double start_s = 0;
  double end_s = 0;
};

/// A transfer of one tile with its dates in seconds.
struct TracedTransfer {
  Transfer transfer{};
  double start_s = 0;
  double end_s = 0;
};

/// An eviction and its date in seconds.
struct TracedEviction {
  Eviction eviction{};
  double date_s = 0;
};

/// A complete run. Each list is in the order in which its entries started.
struct Trace {
  std::vector<TracedTask> tasks{};
  std::vector<TracedTransfer> transfers{};
  std::vector<TracedEviction> evictions{};

  /// Returns the date at which the last task ends; 0 without tasks.
  double last_task_end_s() const {
    double last_s = 0;
    for (const TracedTask& task : tasks) last_s = std::max(last_s, task.end_s);
    return last_s;
  }
  /// Returns the makespan: the date at which the last task or transfer ends.
  double end_s() const {
    double last_s = last_task_end_s();
    for (const TracedTransfer& transfer : transfers) last_s = std::max(last_s, transfer.end_s);
    return last_s;
  }
  /// Returns the number of tasks that were assigned by stealing.
  std::int64_t thefts() const {
    return std::count_if(tasks.begin(), tasks.end(),
                         [](const TracedTask& task) { return task.stolen; });
  }
};

/// Describes the first difference between two traces, such as "task 3 differs"; empty if they are
/// equal. Dates are equal within a relative 1e-9.
std::string find_difference(const Trace& ours, const Trace& theirs);

/// Builds the trace of a run from the activities that start and end.
class TraceRecorder {
 public:
  TraceRecorder(const Platform& platform, const TaskGraph& graph)
      : last_tasks_(platform.workers.size()), last_transfers_(2 * platform.links.size()) {
    trace_.tasks.reserve(static_cast<std::size_t>(graph.tasks()));
  }

  /// Records the start of a task or transfer. For a task, `activity` must be the worker's current
  /// one.
  void record_start(const Runtime& runtime, const Activity& activity, double now_s) {
    const auto resource = static_cast<std::size_t>(activity.resource);
    if (activity.kind == Activity::Kind::task) {
      const AssignedTask& assigned = runtime.current_task(activity.resource);
      last_tasks_[resource] = trace_.tasks.size();
      trace_.tasks.push_back({assigned.task, activity.resource, assigned.stolen, now_s, now_s});
    } else {
      last_transfers_[resource] = trace_.transfers.size();
      trace_.transfers.push_back({runtime.transfer(activity.resource), now_s, now_s});
    }
  }
  /// Records the end of an activity. The end of a worker is not part of the trace.
  void record_end(const Activity& activity, double now_s) {
    const auto resource = static_cast<std::size_t>(activity.resource);
    if (activity.kind == Activity::Kind::task) {
      trace_.tasks[last_tasks_[resource]].end_s = now_s;
    } else if (activity.kind == Activity::Kind::transfer) {
      trace_.transfers[last_transfers_[resource]].end_s = now_s;
    }
  }
  void record_eviction(const Eviction& eviction, double now_s) {
    trace_.evictions.push_back({eviction, now_s});
  }
  /// Returns the trace recorded so far; the caller may move from it.
  Trace& trace() { return trace_; }

 private:
  Trace trace_;
  std::vector<std::size_t> last_tasks_;      ///< by worker: index of its last task in the trace
  std::vector<std::size_t> last_transfers_;  ///< by link direction: index of its last transfer
};

}  // namespace starport::tiles
