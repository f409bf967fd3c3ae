#include "sim/tiles/event_engine.hpp"

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "sim/tiles/bus_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <type_traits>
#include <variant>
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

/// The transfers on a platform with buses. Each has one event that counts: the end of its latency,
/// then its own end, which changes whenever another transfer on its buses starts or ends.
class BusTransfers {
 public:
  BusTransfers(const Platform& platform, const ActivityDurations& durations)
      : platform_(platform),
        durations_(durations),
        sharing_(platform),
        transfers_(2 * platform.links.size()) {}

  /// Starts a transfer in a link direction, with its latency.
  void start(std::int64_t number, int direction, const Transfer& transfer, double now_s) {
    const double factor = durations_.transfer_factor(transfer);
    const double latency_s = transfer_latency_s(platform_, transfer.from, transfer.to) * factor;
    at(direction) = {.transfer = transfer,
                     .number = number,
                     .date_s = now_s + latency_s,
                     .tiles = factor,
                     .is_waiting = true};
    next_events_.push_back(event_of(direction));
  }
  /// True if a more recent event of the same transfer replaces this one.
  bool is_outdated(const Event& event) const {
    return event.activity.kind == Activity::Kind::transfer &&
           at(event.activity.resource).date_s != event.date_s;
  }
  /// Handles an event of a transfer. Returns true if the transfer has ended.
  bool handle(const Event& event) {
    if (is_outdated(event)) return false;
    BusTransfer& own = at(event.activity.resource);
    own.date_s = kNever;
    if (!std::exchange(own.is_waiting, false)) {
      sharing_.end(event.activity.resource);
      return true;
    }
    sharing_.start(event.activity.resource, own.transfer, own.tiles, event.date_s);
    return false;
  }
  /// Returns the new events of transfers at date `now_s`, valid until the next call.
  const std::vector<Event>& update(double now_s) {
    events_.swap(next_events_);
    next_events_.clear();
    for (const auto& [direction, date_s] : sharing_.update(now_s)) {
      at(direction).date_s = date_s;
      events_.push_back(event_of(direction));
    }
    return events_;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct BusTransfer {
    Transfer transfer{};
    std::int64_t number = 0;  ///< in the order in which activities start
    double date_s = kNever;   ///< of the event that counts
    double tiles = 1;
    bool is_waiting = false;  ///< for the end of its latency
  };

  BusTransfer& at(int direction) { return transfers_[static_cast<std::size_t>(direction)]; }
  const BusTransfer& at(int direction) const {
    return transfers_[static_cast<std::size_t>(direction)];
  }
  Event event_of(int direction) const {
    return {at(direction).date_s,
            at(direction).number,
            {.kind = Activity::Kind::transfer, .resource = direction}};
  }

  const Platform& platform_;
  const ActivityDurations& durations_;
  BusSharing sharing_;
  std::vector<BusTransfer> transfers_;  ///< by link direction
  std::vector<Event> next_events_;
  std::vector<Event> events_;
};

class EventEngine {
 public:
  EventEngine(const Platform& platform, const TaskGraph& graph, const StrategyMaker& strategy,
              const EngineOptions& options, const TraceSink& sink)
      : runtime_(platform, graph, strategy, options.runtime, options.seed()),
        durations_(platform, graph, options.noise),
        recorder_(platform, sink),
        workers_(static_cast<int>(platform.workers.size())),
        now_s_(platform.start_up_s) {
    if (!platform.shared_lines.empty()) buses_.emplace(platform, durations_);
  }

  void run() {
    for (int worker = 0; worker < workers_; ++worker) {
      const double stop_s = durations_.stop_s(worker);
      if (std::isfinite(stop_s) && stop_s > now_s_) {
        events_.push(
            {stop_s, started_activities_++, {.kind = Activity::Kind::stop, .resource = worker}});
      }
    }
    runtime_.start(now_s_, durations_.stopped_at_start());
    start_activities();
    schedule_bus_changes();
    while (!events_.empty() && !runtime_.is_complete()) {
      pop_simultaneous();
      for (const Event& event : simultaneous_) {
        now_s_ = std::max(now_s_, event.date_s);
        recorder_.record_end(event.activity, event.date_s);
        runtime_.handle_end(event.activity, now_s_);
        start_activities();
      }
      schedule_bus_changes();
    }
    if (!runtime_.is_complete()) throw SimulationError(runtime_.describe_deadlock());
  }

 private:
  /// Moves the next event and those of equal date from the queue to simultaneous_, without those
  /// that only concern transfers on buses.
  void pop_simultaneous() {
    simultaneous_.clear();
    while (buses_ && !events_.empty() && buses_->is_outdated(events_.top())) events_.pop();
    if (events_.empty()) return;
    const double until_s = events_.top().date_s * (1 + kDateTolerance);
    while (!events_.empty() && events_.top().date_s <= until_s) {
      const Event event = events_.top();
      events_.pop();
      if (!buses_ || event.activity.kind != Activity::Kind::transfer || buses_->handle(event)) {
        simultaneous_.push_back(event);
      } else {
        now_s_ = std::max(now_s_, event.date_s);
      }
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
      const std::int64_t number = started_activities_++;
      if (buses_ && activity.kind == Activity::Kind::transfer) {
        buses_->start(number, activity.resource, runtime_.request(activity.resource).transfer,
                      now_s_);
      } else {
        events_.push({end_s(activity), number, activity});
      }
    }
    runtime_.started.clear();
  }

  /// Schedules the changes of transfers on buses since the last call.
  void schedule_bus_changes() {
    if (!buses_) return;
    for (const Event& event : buses_->update(now_s_)) events_.push(event);
  }

  double end_s(const Activity& activity) const {
    if (activity.kind == Activity::Kind::transfer) {
      return durations_.transfer_end_s(runtime_.request(activity.resource).transfer, now_s_);
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
  std::optional<BusTransfers> buses_;
};

/// Number of entries of a trace that a child process sends together.
constexpr std::size_t kFrameRecords = 4096;

static_assert(std::is_trivially_copyable_v<TraceRecord>);

}  // namespace

void run_event_engine(const Platform& platform, const TaskGraph& graph,
                      const StrategyMaker& strategy, const EngineOptions& options,
                      const TraceSink& sink) {
  EventEngine(platform, graph, strategy, options, sink).run();
}

TileTrace run_event_engine(const Platform& platform, const TaskGraph& graph,
                           const StrategyMaker& strategy, const EngineOptions& options) {
  TileTrace trace;
  trace.tasks.reserve(static_cast<std::size_t>(graph.tasks()));
  run_event_engine(platform, graph, strategy, options,
                   [&](const TraceRecord& record) { trace.add(record); });
  return trace;
}

void simulate_in_child(
    const std::function<void(const TraceSink&, const std::function<void()>& flush)>& simulate,
    const TaskGraph& graph, double time_limit_s, const TraceSink& sink) {
  const auto send = [&](FrameWriter& out) {
    std::vector<TraceRecord> records;
    const auto flush = [&] {
      if (!records.empty()) out.write(std::as_bytes(std::span(records)));
      out.flush();
      records.clear();
    };
    const auto add = [&](const TraceRecord& record) {
      records.push_back(record);
      if (records.size() == kFrameRecords) flush();
    };
    simulate(add, flush);
    flush();
  };
  std::int64_t tasks = 0;
  const auto receive = [&](std::span<const std::byte> frame) {
    if (frame.size() % sizeof(TraceRecord) != 0) throw_damaged_pipe();
    std::vector<TraceRecord> records(frame.size() / sizeof(TraceRecord));
    std::memcpy(static_cast<void*>(records.data()), frame.data(), frame.size());
    for (const TraceRecord& record : records) {
      if (std::holds_alternative<TracedTask>(record)) ++tasks;
      sink(record);
    }
  };
  starport::run_in_child(send, receive, time_limit_s);
  if (tasks != graph.tasks()) throw SimulationError("the simulation ended before its last task");
}

}  // namespace starport::tiles
