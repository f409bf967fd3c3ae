#include "sim/tiles/simgrid/simgrid_engine.hpp"

#include "sim/files/error.hpp"
#include "sim/tiles/bus_sharing.hpp"
#include "sim/tiles/event_engine.hpp"
#include "sim/tiles/simgrid/simulated_node.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace starport::tiles {
namespace {

// The shortest transfer or task takes this many units of SimGrid's clock. A tile counts as this
// many bytes, since SimGrid's message sizes are integers.
constexpr double kUnitsPerShortest = 1e4;
constexpr double kBytesPerTile = 1e6;
// If transfers share buses, noise changes the size of a message instead of its duration.
constexpr double kBytesPerSharedTile = 1e12;
constexpr double kFlopsPerUnit = 1e3;

double shortest_duration_s(const Platform& platform) {
  double shortest = platform.workers.front().update_s;
  for (const Worker& worker : platform.workers) {
    shortest = std::min({shortest, worker.update_s, worker.reduction_s.value_or(worker.update_s)});
  }
  for (const Link& link : platform.links) shortest = std::min({shortest, link.in_s, link.out_s});
  for (const Route& route : platform.routes) {
    if (route.tile_s > 0) shortest = std::min(shortest, route.tile_s);
  }
  return shortest;
}

/// The state of an actor that executes the tasks of a worker, the transfers of a link direction or
/// the failure of a worker, one activity after the other.
struct ActivityActor {
  sg::SemaphorePtr start = sg::Semaphore::create(0);  ///< released to start the activity
  Activity activity{};
  std::int64_t number = 0;  ///< activities are numbered in the order in which they start
  double end_s = 0;         ///< date at which the activity should end; once ended, at which it has
  bool stopping = false;    ///< the actor returns once `start` is released
};

/// One simulation of a task graph by SimGrid actors: one drives the runtime, one per worker and
/// link direction executes the activities.
class Simulation {
 public:
  Simulation(const Platform& platform, const TaskGraph& graph, const StrategyMaker& strategy,
             const EngineOptions& options, const TraceSink& sink)
      : runtime_(platform, graph, strategy, options.runtime, options.seed()),
        durations_(platform, graph, options.noise),
        recorder_(platform, sink),
        node_(platform) {
    if (!platform.shared_lines.empty()) sharing_.emplace(platform);
    for (std::size_t w = 0; w < platform.workers.size(); ++w) {
      create_actor(workers_, Activity::Kind::task, node_.worker(w));
    }
    for (std::size_t d = 0; d < 2 * platform.links.size(); ++d) {
      create_actor(directions_, Activity::Kind::transfer, node_.hub());
    }
    for (std::size_t w = 0; w < platform.workers.size(); ++w) {
      const double stop_s = durations_.stop_s(static_cast<int>(w));
      if (std::isfinite(stop_s) && stop_s > platform.start_up_s)
        create_stop_actor(static_cast<std::int32_t>(w), stop_s);
    }
    make_actor("runtime", node_.hub(), [this] { drive(); });
  }

  void run() { node_.run(); }

 private:
  void create_actor(std::deque<ActivityActor>& actors, Activity::Kind kind, sg::Host* host) {
    const auto resource = static_cast<std::int32_t>(actors.size());
    ActivityActor& actor = actors.emplace_back();
    actor.activity = {.kind = kind, .resource = resource};
    make_actor("activity", host, [this, &actor] { perform(actor); });
  }

  void create_stop_actor(std::int32_t worker, double stop_s) {
    ActivityActor& stop = stops_.emplace_back();
    stop.activity = {.kind = Activity::Kind::stop, .resource = worker};
    register_start(stop, stop_s);
    make_actor("stop", node_.hub(), [this, &stop, stop_s] {
      node_.wait_until_far(stop_s);
      report_end(stop);
    });
  }

  /// Numbers the actor's activity, which should end at `end_s`.
  void register_start(ActivityActor& actor, double end_s) {
    actor.number = started_activities_++;
    actor.end_s = end_s;
    active_.insert({end_s, actor.number});
  }

  /// Tells the runtime's actor that the activity has ended.
  void report_end(ActivityActor& actor) {
    active_.erase({actor.end_s, actor.number});
    actor.end_s = node_.now_s();
    ended_.push_back(&actor);
    if (std::exchange(is_waiting_, false)) end_reported_->release();
  }

  /// Updates the dates at which transfers on buses should end, which tell wait_for_ends() what ends
  /// at the same date. SimGrid shares the bandwidths on its own.
  void update_ends() {
    for (const auto& [direction, date_s] : sharing_->update(node_.now_s())) {
      ActivityActor& actor = directions_[static_cast<std::size_t>(direction)];
      active_.erase({actor.end_s, actor.number});
      actor.end_s = date_s;
      active_.insert({date_s, actor.number});
      node_.extend_precision(date_s - node_.now_s());
    }
  }

  /// Simulates a transfer that shares bandwidths with others.
  void move_on_buses(int direction) {
    const Transfer transfer = runtime_.request(direction).transfer;
    const double tiles = durations_.transfer_factor(transfer);
    node_.wait_until(node_.now_s() + tiles * node_.latency_s(transfer));
    sharing_->start(direction, transfer, tiles, node_.now_s());
    update_ends();
    node_.send(transfer, tiles);
    sharing_->end(direction);
    update_ends();
  }

  ActivityActor& find_actor(const Activity& activity) {
    auto& actors = activity.kind == Activity::Kind::task ? workers_ : directions_;
    return actors[static_cast<std::size_t>(activity.resource)];
  }

  /// Body of the runtime's actor.
  void drive() {
    runtime_.start(node_.now_s(), durations_.stopped_at_start());
    start_activities();
    while (!active_.empty() && !runtime_.is_complete()) {
      for (const ActivityActor* actor : wait_for_ends()) {
        recorder_.record_end(actor->activity, actor->end_s);
        runtime_.handle_end(actor->activity, node_.now_s());
        start_activities();
      }
    }
    if (!runtime_.is_complete()) throw SimulationError(runtime_.describe_deadlock());
    for (auto* actors : {&workers_, &directions_}) {
      for (ActivityActor& actor : *actors) {
        actor.stopping = true;
        actor.start->release();
      }
    }
  }

  /// Waits for the next activities to end. Returns those that end at the same date, up to rounding,
  /// in the order in which they started.
  std::vector<const ActivityActor*> wait_for_ends() {
    double until_s = 0;
    do {
      is_waiting_ = true;
      end_reported_->acquire();
      sg::this_actor::yield();
      if (until_s == 0) until_s = node_.now_s() * (1 + kDateTolerance);
    } while (!active_.empty() && active_.begin()->first <= until_s);
    std::sort(ended_.begin(), ended_.end(),
              [](const ActivityActor* a, const ActivityActor* b) { return a->number < b->number; });
    return std::exchange(ended_, {});
  }

  /// Records and starts what the runtime has started since the last call.
  void start_activities() {
    const double now_s = node_.now_s();
    for (const Eviction& eviction : runtime_.evictions) recorder_.record_eviction(eviction, now_s);
    runtime_.evictions.clear();
    for (const Activity& activity : runtime_.started) {
      ActivityActor& actor = find_actor(activity);
      register_start(actor, end_s(activity));
      recorder_.record_start(runtime_, activity, now_s);
      node_.extend_precision(actor.end_s - now_s);
      actor.start->release();
    }
    runtime_.started.clear();
  }

  double end_s(const Activity& activity) const {
    if (activity.kind == Activity::Kind::transfer) {
      return durations_.transfer_end_s(runtime_.request(activity.resource).transfer, node_.now_s());
    }
    return durations_.task_end_s(activity.resource, runtime_.current_task(activity.resource).task,
                                 node_.now_s());
  }

  /// Body of the actor of a worker or link direction.
  void perform(ActivityActor& actor) {
    for (;;) {
      actor.start->acquire();
      if (actor.stopping) return;
      if (actor.activity.kind == Activity::Kind::task) {
        node_.compute(end_s(actor.activity) - node_.now_s());
      } else if (sharing_) {
        move_on_buses(actor.activity.resource);
      } else {
        node_.move(runtime_.request(actor.activity.resource).transfer,
                   end_s(actor.activity) - node_.now_s());
      }
      report_end(actor);
    }
  }

  Runtime runtime_;
  ActivityDurations durations_;
  TraceRecorder recorder_;
  SimulatedNode node_;
  std::optional<BusSharing> sharing_;  ///< on a platform with buses
  std::deque<ActivityActor> workers_;
  std::deque<ActivityActor> directions_;
  std::deque<ActivityActor> stops_;
  std::vector<const ActivityActor*> ended_;  ///< activities that the runtime has not handled
  sg::SemaphorePtr end_reported_ = sg::Semaphore::create(0);
  bool is_waiting_ = false;
  std::int64_t started_activities_ = 0;
  std::set<std::pair<double, std::int64_t>> active_;  ///< end date and number of active ones
};

}  // namespace

SimulatedNode::SimulatedNode(const Platform& platform)
    : platform_(platform), time_(shortest_duration_s(platform) / kUnitsPerShortest) {
  if (platform.routes.empty()) {
    create_star();
  } else {
    create_routes();
  }
}

//   node 0, the hub --- to-m, from-m --- node m, with its worker
//
// A route between two GPUs uses the link from one and the link to the other, at the speed of the
// slower. Latencies are simulated by sleeping, because those of the links of a route would add up.
// Transfers in the order of CUDA that have a source in common do not slow each other down.
void SimulatedNode::create_star() {
  sg::NetZone* star = sg::create_star_zone("star");
  const auto connect = [&](sg::Host* host, const std::vector<sg::LinkInRoute>& from,
                           const std::vector<sg::LinkInRoute>& to) {
    star->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, from, false);
    star->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, to, false);
    return host;
  };
  memories_.push_back(connect(star->create_host("node-0", kFlopsPerUnit), {}, {}));
  for (int node = 1; node < platform_.nodes(); ++node) {
    const std::string number = std::to_string(node);
    const Link& link = platform_.link(node);
    sg::Link* from = star->create_link("from-" + number, bandwidth(link.out_s));
    from->set_sharing_policy(sg::Link::SharingPolicy::FATPIPE);
    sg::Link* to = star->create_link("to-" + number, bandwidth(link.in_s));
    memories_.push_back(connect(star->create_host("node-" + number, kFlopsPerUnit),
                                {sg::LinkInRoute(from)}, {sg::LinkInRoute(to)}));
  }
  create_workers(star);
}

// Each pair of nodes has a link of its own, since a direction of a GPU's link carries one transfer
// at a time, and the routes share the links that stand for the bandwidths of buses.
void SimulatedNode::create_routes() {
  sg::NetZone* zone = sg::create_full_zone("routes");
  for (int node = 0; node < platform_.nodes(); ++node) {
    memories_.push_back(zone->create_host("node-" + std::to_string(node), kFlopsPerUnit));
  }
  std::vector<sg::Link*> lines;
  for (std::size_t line = 0; line < platform_.shared_lines.size(); ++line) {
    lines.push_back(zone->create_link("line-" + std::to_string(line),
                                      bandwidth(platform_.shared_lines[line].tile_s)));
  }
  for (int from = 0; from < platform_.nodes(); ++from) {
    for (int to = 0; to < platform_.nodes(); ++to) {
      if (from == to) continue;
      const Route& route = platform_.route(from, to);
      const std::string name = "from-" + std::to_string(from) + "-to-" + std::to_string(to);
      std::vector<sg::LinkInRoute> links{
          sg::LinkInRoute(zone->create_link(name, bandwidth(route.tile_s)))};
      for (const std::int32_t line : route.lines)
        links.emplace_back(lines[static_cast<std::size_t>(line)]);
      zone->add_route(memories_[static_cast<std::size_t>(from)]->get_netpoint(),
                      memories_[static_cast<std::size_t>(to)]->get_netpoint(), nullptr, nullptr,
                      links, false);
    }
  }
  create_workers(zone);
}

void SimulatedNode::create_workers(sg::NetZone* zone) {
  for (std::size_t w = 0; w < platform_.workers.size(); ++w) {
    workers_.push_back(zone->create_host("worker-" + std::to_string(w + 1), kFlopsPerUnit));
  }
  zone->seal();
}

double SimulatedNode::bytes_per_tile() const {
  return platform_.shared_lines.empty() ? kBytesPerTile : kBytesPerSharedTile;
}

double SimulatedNode::bandwidth(double tile_s) const {
  return bytes_per_tile() * time_.unit_s() / tile_s;
}

void SimulatedNode::compute(double duration_s) const {
  sg::this_actor::execute(duration_s / time_.unit_s() * kFlopsPerUnit);
}

void SimulatedNode::move(const Transfer& transfer, double duration_s) const {
  const auto [tile, from, to] = transfer;
  const double byte_s =
      (transfer_time_s(platform_, from, to) - transfer_latency_s(platform_, from, to)) /
      kBytesPerTile;
  const double bytes = std::clamp(std::floor(duration_s / byte_s), 1.0, kBytesPerTile);
  time_.sleep_for(std::max(duration_s - bytes * byte_s, 0.0));
  sg::Comm::sendto(memories_[static_cast<std::size_t>(from)],
                   memories_[static_cast<std::size_t>(to)], static_cast<std::uint64_t>(bytes));
}

void SimulatedNode::send(const Transfer& transfer, double tiles) const {
  sg::Comm::sendto(memories_[static_cast<std::size_t>(transfer.from)],
                   memories_[static_cast<std::size_t>(transfer.to)],
                   static_cast<std::uint64_t>(std::llround(tiles * bytes_per_tile())));
}

void SimulatedNode::wait_until(double date_s) const {
  time_.sleep_for(std::max(date_s - now_s(), 0.0));
}

TileTrace run_simgrid_engine(const Platform& platform, const TaskGraph& graph,
                             const StrategyMaker& strategy, const EngineOptions& options,
                             double time_limit_s) {
  const auto simulate = [&](const TraceSink& sink, const std::function<void()>& flush) {
    Simulation simulation(platform, graph, strategy, options, sink);
    simulation.run();
    flush();
    // SimGrid does not survive its own shutdown.
    _exit(0);
  };
  TileTrace trace;
  simulate_in_child(simulate, graph, time_limit_s,
                    [&](const TraceRecord& record) { trace.add(record); });
  return trace;
}

}  // namespace starport::tiles
