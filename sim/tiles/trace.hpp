// What happened during a run: tasks, transfers and departures with their dates.
#pragma once

#include "sim/tiles/runtime.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starport::tiles {

struct TracedTask {
  Task task{};
  std::int32_t worker = 0;
  bool stolen = false;
  double start_s = 0;
  double end_s = 0;
};

struct TracedTransfer {
  Transfer transfer{};
  double start_s = 0;
  double end_s = 0;
};

struct TracedDeparture {
  Departure departure{};
  double at_s = 0;
};

/// Each list in the order in which its entries started.
struct Trace {
  std::vector<TracedTask> tasks{};
  std::vector<TracedTransfer> transfers{};
  std::vector<TracedDeparture> departures{};

  double last_task_end_s() const {
    double last_s = 0;
    for (const TracedTask& task : tasks) last_s = std::max(last_s, task.end_s);
    return last_s;
  }
  /// Of the last event: the time of the run.
  double end_s() const {
    double last_s = last_task_end_s();
    for (const TracedTransfer& transfer : transfers) last_s = std::max(last_s, transfer.end_s);
    return last_s;
  }
  std::int64_t thefts() const {
    return std::count_if(tasks.begin(), tasks.end(),
                         [](const TracedTask& task) { return task.stolen; });
  }
};

/// The first thing that differs; dates may by a relative 1e-9. Empty when nothing does.
std::string find_difference(const Trace& ours, const Trace& theirs);

/// Writes down what the runtime says has started and what the engine says has ended.
class Recorder {
 public:
  Recorder(const Platform& platform, const Work& work)
      : task_(platform.workers.size()), transfer_(2 * platform.links.size()) {
    trace_.tasks.reserve(static_cast<std::size_t>(work.tasks()));
  }

  void start(const Runtime& runtime, const Activity& activity, double now_s) {
    const auto place = static_cast<std::size_t>(activity.place);
    if (activity.kind == Activity::Kind::task) {
      const Choice& choice = runtime.task(activity.place);
      task_[place] = trace_.tasks.size();
      trace_.tasks.push_back({choice.task, activity.place, choice.stolen, now_s, now_s});
    } else {
      transfer_[place] = trace_.transfers.size();
      trace_.transfers.push_back({runtime.transfer(activity.place), now_s, now_s});
    }
  }
  void end(const Activity& activity, double now_s) {
    const auto place = static_cast<std::size_t>(activity.place);
    if (activity.kind == Activity::Kind::task) {
      trace_.tasks[task_[place]].end_s = now_s;
    } else if (activity.kind == Activity::Kind::transfer) {
      trace_.transfers[transfer_[place]].end_s = now_s;
    }
  }
  void depart(const Departure& departure, double now_s) {
    trace_.departures.push_back({departure, now_s});
  }
  Trace& trace() { return trace_; }

 private:
  Trace trace_;
  std::vector<std::size_t> task_;      ///< of each worker, where its last task stands
  std::vector<std::size_t> transfer_;  ///< of each direction
};

}  // namespace starport::tiles
