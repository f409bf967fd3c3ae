#include "sim/tiles/event_engine.hpp"

#include "sim/files/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace starport::tiles {
namespace {

/// The end of an activity.
struct Event {
  double date_s;
  std::int64_t number;  ///< activities are numbered in the order in which they start
  Activity activity;

  bool operator>(const Event& other) const {
    return date_s != other.date_s ? date_s > other.date_s : number > other.number;
  }
};

class EventEngine {
 public:
  EventEngine(const Platform& platform, const TaskGraph& graph, const StrategyMaker& strategy,
              const EngineOptions& options)
      : runtime_(platform, graph, strategy, options.runtime, options.seed()),
        durations_(platform, graph, options.noise),
        recorder_(platform, graph),
        workers_(static_cast<int>(platform.workers.size())),
        now_s_(platform.start_up_s) {}

  Trace run() {
    for (int worker = 0; worker < workers_; ++worker) {
      const double stop_s = durations_.stop_s(worker);
      if (std::isfinite(stop_s) && stop_s >= now_s_) {
        events_.push(
            {stop_s, started_activities_++, {.kind = Activity::Kind::stop, .resource = worker}});
      }
    }
    runtime_.start(now_s_, durations_.stopped_at_start());
    start_activities();
    while (!events_.empty() && !runtime_.is_complete()) {
      pop_simultaneous();
      for (const Event& event : simultaneous_) {
        now_s_ = std::max(now_s_, event.date_s);
        recorder_.record_end(event.activity, event.date_s);
        runtime_.handle_end(event.activity, now_s_);
        start_activities();
      }
    }
    if (!runtime_.is_complete()) throw SimulationError(runtime_.describe_deadlock());
    return std::move(recorder_.trace());
  }

 private:
  /// Moves the next event and those of equal date from the queue to simultaneous_.
  void pop_simultaneous() {
    simultaneous_.clear();
    const double until_s = events_.top().date_s * (1 + kDateTolerance);
    while (!events_.empty() && events_.top().date_s <= until_s) {
      simultaneous_.push_back(events_.top());
      events_.pop();
    }
    std::sort(simultaneous_.begin(), simultaneous_.end(),
              [](const Event& a, const Event& b) { return a.number < b.number; });
  }

  /// Records and schedules what the runtime has started since the last call.
  void start_activities() {
    for (const Eviction& eviction : runtime_.evictions) recorder_.record_eviction(eviction, now_s_);
    runtime_.evictions.clear();
    for (const Activity& activity : runtime_.started) {
      recorder_.record_start(runtime_, activity, now_s_);
      events_.push({end_s(activity), started_activities_++, activity});
    }
    runtime_.started.clear();
  }

  double end_s(const Activity& activity) const {
    if (activity.kind == Activity::Kind::transfer) {
      return durations_.transfer_end_s(runtime_.transfer(activity.resource), now_s_);
    }
    return durations_.task_end_s(activity.resource, runtime_.current_task(activity.resource).task,
                                 now_s_);
  }

  Runtime runtime_;
  ActivityDurations durations_;
  TraceRecorder recorder_;
  int workers_;
  double now_s_;
  std::int64_t started_activities_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Event> simultaneous_;
};

}  // namespace

Trace run_event_engine(const Platform& platform, const TaskGraph& graph,
                       const StrategyMaker& strategy, const EngineOptions& options) {
  return EventEngine(platform, graph, strategy, options).run();
}

}  // namespace starport::tiles
