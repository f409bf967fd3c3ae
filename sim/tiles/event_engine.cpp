#include "sim/tiles/event_engine.hpp"

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <queue>
#include <span>
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

  TileTrace run() {
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

/// Sends one list of the trace to the parent in frames of at most 4096 entries. The first byte of
/// each frame is the number of the list.
template <class Entry>
void write_list(FrameWriter& out, std::byte list, const std::vector<Entry>& entries) {
  constexpr std::size_t frame_entries = 4096;
  std::vector<std::byte> frame;
  for (std::size_t first = 0; first < entries.size(); first += frame_entries) {
    const auto part = std::as_bytes(
        std::span(entries).subspan(first, std::min(frame_entries, entries.size() - first)));
    frame.assign(1, list);
    frame.insert(frame.end(), part.begin(), part.end());
    out.write(frame);
  }
}

/// Appends the entries in `bytes` to a list of the trace.
template <class Entry>
void append_entries(std::vector<Entry>& entries, std::span<const std::byte> bytes) {
  const std::size_t before = entries.size();
  entries.resize(before + bytes.size() / sizeof(Entry));
  std::memcpy(entries.data() + before, bytes.data(), bytes.size());
}

}  // namespace

TileTrace run_event_engine(const Platform& platform, const TaskGraph& graph,
                           const StrategyMaker& strategy, const EngineOptions& options) {
  return EventEngine(platform, graph, strategy, options).run();
}

TileTrace trace_of_child(const std::function<void(const TraceCallback&)>& simulate,
                         const TaskGraph& graph, double time_limit_s) {
  const auto send = [&](FrameWriter& out) {
    simulate([&](const TileTrace& trace) {
      write_list(out, std::byte{0}, trace.tasks);
      write_list(out, std::byte{1}, trace.transfers);
      write_list(out, std::byte{2}, trace.evictions);
      out.flush();
    });
  };
  TileTrace trace;
  const auto receive = [&](std::span<const std::byte> frame) {
    const auto entries = frame.subspan(1);
    if (frame[0] == std::byte{0}) append_entries(trace.tasks, entries);
    if (frame[0] == std::byte{1}) append_entries(trace.transfers, entries);
    if (frame[0] == std::byte{2}) append_entries(trace.evictions, entries);
  };
  run_in_child(send, receive, time_limit_s);
  if (static_cast<std::int64_t>(trace.tasks.size()) != graph.tasks()) {
    throw SimulationError("the simulation ended before its last task");
  }
  return trace;
}

}  // namespace starport::tiles
