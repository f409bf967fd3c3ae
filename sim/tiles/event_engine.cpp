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

struct Event {
  double date_s;
  std::int64_t number;  ///< in the order of starts
  Activity activity;

  bool operator>(const Event& other) const {
    return date_s != other.date_s ? date_s > other.date_s : number > other.number;
  }
};

class EventEngine {
 public:
  EventEngine(const Platform& platform, const Work& work, const StrategyMaker& strategy,
              const Options& options)
      : runtime_(platform, work, strategy, options.rules, options.seed()),
        durations_(platform, work, options.noise),
        recorder_(platform, work),
        workers_(static_cast<int>(platform.workers.size())),
        now_s_(platform.start_up_s) {}

  Trace run() {
    for (int worker = 0; worker < workers_; ++worker) {
      const double stop_s = durations_.stop_s(worker);
      const Activity stop{.kind = Activity::Kind::stop, .place = worker};
      if (stop_s < now_s_) {
        runtime_.end(stop, now_s_);  // during the start-up
      } else if (std::isfinite(stop_s)) {
        events_.push({stop_s, starts_++, stop});
      }
    }
    runtime_.begin(now_s_);
    record();
    while (!events_.empty() && !runtime_.complete()) {
      take_next();
      for (const Event& event : simultaneous_) {
        now_s_ = std::max(now_s_, event.date_s);
        recorder_.end(event.activity, event.date_s);  // its own, whatever ends with it
        runtime_.end(event.activity, now_s_);
        record();
      }
    }
    if (!runtime_.complete()) throw SimulationError(runtime_.obstacle());
    return std::move(recorder_.trace());
  }

 private:
  /// The next event and those of the same date.
  void take_next() {
    simultaneous_.clear();
    const double until_s = events_.top().date_s * (1 + kSameDate);
    while (!events_.empty() && events_.top().date_s <= until_s) {
      simultaneous_.push_back(events_.top());
      events_.pop();
    }
    std::sort(simultaneous_.begin(), simultaneous_.end(),
              [](const Event& a, const Event& b) { return a.number < b.number; });
  }

  void record() {
    for (const Departure& departure : runtime_.departures) recorder_.depart(departure, now_s_);
    runtime_.departures.clear();
    for (const Activity& activity : runtime_.started) {
      recorder_.start(runtime_, activity, now_s_);
      events_.push({end_s(activity), starts_++, activity});
    }
    runtime_.started.clear();
  }

  double end_s(const Activity& activity) const {
    if (activity.kind == Activity::Kind::transfer) {
      return durations_.transfer_end_s(runtime_.transfer(activity.place), now_s_);
    }
    return durations_.task_end_s(activity.place, runtime_.task(activity.place).task, now_s_);
  }

  Runtime runtime_;
  Durations durations_;
  Recorder recorder_;
  int workers_;
  double now_s_;
  std::int64_t starts_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Event> simultaneous_;
};

}  // namespace

Trace run_events(const Platform& platform, const Work& work, const StrategyMaker& strategy,
                 const Options& options) {
  return EventEngine(platform, work, strategy, options).run();
}

}  // namespace starport::tiles
