#include "sim/tiles/simgrid/simgrid_engine.hpp"

#include "sim/files/error.hpp"
#include "sim/tiles/event_engine.hpp"
#include "sim/tiles/simgrid/simulated_node.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <set>
#include <utility>
#include <vector>

namespace starport::tiles {
namespace {

/// An actor that does one thing after the other: the tasks of a worker, the transfers of a
/// direction.
struct Performer {
  sg::SemaphorePtr order = sg::Semaphore::create(0);
  Activity activity{};
  std::int64_t number = 0;  ///< of its activity, in the order of starts
  double end_s = 0;         ///< of its activity: when it should end, then when it has ended
  bool stopping = false;
};

class Simulation {
 public:
  Simulation(const Platform& platform, const TaskGraph& graph, const StrategyMaker& strategy,
             const EngineOptions& options)
      : runtime_(platform, graph, strategy, options.rules, options.seed()),
        durations_(platform, graph, options.noise),
        recorder_(platform, graph),
        node_(platform) {
    for (std::size_t w = 0; w < platform.workers.size(); ++w) {
      enrol(workers_, Activity::Kind::task, node_.worker(w));
    }
    for (std::size_t d = 0; d < 2 * platform.links.size(); ++d) {
      enrol(directions_, Activity::Kind::transfer, node_.hub());
    }
    for (std::size_t w = 0; w < platform.workers.size(); ++w) {
      const double stop_s = durations_.stop_s(static_cast<int>(w));
      if (std::isfinite(stop_s) && stop_s >= platform.start_up_s)
        add_stop(static_cast<std::int32_t>(w), stop_s);
    }
    make_actor("runtime", node_.hub(), [this] { drive(); });
  }

  void run() { node_.run(); }
  const Trace& trace() { return recorder_.trace(); }

 private:
  void enrol(std::deque<Performer>& performers, Activity::Kind kind, sg::Host* host) {
    const auto place = static_cast<std::int32_t>(performers.size());
    Performer& performer = performers.emplace_back();
    performer.activity = {.kind = kind, .place = place};
    sg::Actor::create("performer", host, [this, &performer] { perform(performer); });
  }

  void add_stop(std::int32_t worker, double stop_s) {
    Performer& stop = stops_.emplace_back();
    stop.activity = {.kind = Activity::Kind::stop, .place = worker};
    begin(stop, stop_s);
    node_.keep_precision(stop_s);
    sg::Actor::create("stop", node_.hub(), [this, &stop, stop_s] {
      node_.wait_until(stop_s);
      report(stop);
    });
  }

  void begin(Performer& performer, double end_s) {
    performer.number = starts_++;
    performer.end_s = end_s;
    under_way_.insert({end_s, performer.number});
  }

  void report(Performer& performer) {
    under_way_.erase({performer.end_s, performer.number});
    performer.end_s = node_.now_s();
    ended_.push_back(&performer);
    if (std::exchange(waiting_, false)) change_->release();
  }

  Performer& performer_of(const Activity& activity) {
    auto& performers = activity.kind == Activity::Kind::task ? workers_ : directions_;
    return performers[static_cast<std::size_t>(activity.place)];
  }

  /// The runtime's actor.
  void drive() {
    runtime_.begin(node_.now_s(), durations_.stopped_at_start());
    give_orders();
    while (!under_way_.empty() && !runtime_.complete()) {
      for (const Performer* performer : wait_for_ends()) {
        recorder_.end(performer->activity, performer->end_s);
        runtime_.end(performer->activity, node_.now_s());
        give_orders();
      }
    }
    if (!runtime_.complete()) throw SimulationError(runtime_.obstacle());
    for (auto* performers : {&workers_, &directions_}) {
      for (Performer& performer : *performers) {
        performer.stopping = true;
        performer.order->release();
      }
    }
  }

  /// All that end at one date, but for rounding, in the order in which they started.
  std::vector<const Performer*> wait_for_ends() {
    double until_s = 0;
    do {
      waiting_ = true;
      change_->acquire();
      sg::this_actor::yield();
      if (until_s == 0) until_s = node_.now_s() * (1 + kDateTolerance);
    } while (!under_way_.empty() && under_way_.begin()->first <= until_s);
    std::sort(ended_.begin(), ended_.end(),
              [](const Performer* a, const Performer* b) { return a->number < b->number; });
    return std::exchange(ended_, {});
  }

  void give_orders() {
    const double now_s = node_.now_s();
    for (const Eviction& eviction : runtime_.evictions) recorder_.depart(eviction, now_s);
    runtime_.evictions.clear();
    for (const Activity& activity : runtime_.started) {
      Performer& performer = performer_of(activity);
      begin(performer, end_s(activity));
      recorder_.start(runtime_, activity, now_s);
      node_.keep_precision(performer.end_s - now_s);
      performer.order->release();
    }
    runtime_.started.clear();
  }

  double end_s(const Activity& activity) const {
    if (activity.kind == Activity::Kind::transfer) {
      return durations_.transfer_end_s(runtime_.transfer(activity.place), node_.now_s());
    }
    return durations_.task_end_s(activity.place, runtime_.task(activity.place).task, node_.now_s());
  }

  void perform(Performer& performer) {
    for (;;) {
      performer.order->acquire();
      if (performer.stopping) return;
      if (performer.activity.kind == Activity::Kind::task) {
        node_.compute(end_s(performer.activity) - node_.now_s());
      } else {
        node_.move(runtime_.transfer(performer.activity.place),
                   end_s(performer.activity) - node_.now_s());
      }
      report(performer);
    }
  }

  Runtime runtime_;
  ActivityDurations durations_;
  TraceRecorder recorder_;
  SimulatedNode node_;
  std::deque<Performer> workers_;
  std::deque<Performer> directions_;
  std::deque<Performer> stops_;
  std::vector<const Performer*> ended_;  ///< and the runtime has not been told
  sg::SemaphorePtr change_ = sg::Semaphore::create(0);
  bool waiting_ = false;
  std::int64_t starts_ = 0;
  std::set<std::pair<double, std::int64_t>> under_way_;  ///< when each should end, and its number
};

}  // namespace

void simulate_on_simgrid(const Platform& platform, const TaskGraph& graph, const StrategyMaker& strategy,
                         const EngineOptions& options, const std::function<void(const Trace&)>& take) {
  Simulation simulation(platform, graph, strategy, options);
  simulation.run();
  take(simulation.trace());
  _exit(0);
}

}  // namespace starport::tiles
