#include "sim/spmd/simgrid/simgrid_runs.hpp"

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "sim/simgrid/simgrid_time.hpp"

#include <simgrid/s4u.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace starport::spmd {
namespace {

constexpr double kUnits = 1e6;  // units of SimGrid's clock per shortest message

/// Message from the simulation to the parent process: the dates of a message or of a processor.
struct BulkFrame {
  std::int64_t message = -1;  ///< index; -1 - p: the frame is about processor p
  double local_end_s = 0;
  double start_s = 0;
  double end_s = 0;
};

double shortest_s(const TwoProcessors& problem, const BulkPlan& plan) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const BulkMessage& message : plan.messages) {
    const double bytes = 8 * static_cast<double>(std::max<std::int64_t>(message.elements, 1));
    shortest = std::min(shortest, bytes / problem.bandwidth_bytes_per_s);
  }
  const double all_s =
      std::max((plan.fast.local_flops + plan.fast.rest_flops) / problem.fast_flops,
               (plan.slow.local_flops + plan.slow.rest_flops) / problem.slow_flops);
  return plan.messages.empty() ? all_s : shortest;
}

/// The actors of a product on two processors: one per processor, which computes, and one for the
/// link, or for each of its directions, which sends the messages in order.
class BulkActors {
 public:
  BulkActors(const TwoProcessors& problem, const BulkPlan& plan, const ProductDurations& durations,
             FrameWriter& out)
      : clock_(shortest_s(problem, plan) / kUnits),
        problem_(problem),
        plan_(plan),
        durations_(durations),
        out_(out) {
    sg::NetZone* zone = sg::create_full_zone("pair");
    hosts_ = {zone->create_host("P1", pstate_speeds(problem.fast_flops * clock_.unit_s(),
                                                    pace(Activity::update, 0))),
              zone->create_host("P2", pstate_speeds(problem.slow_flops * clock_.unit_s(),
                                                    pace(Activity::update, 1)))};
    links_.reserve(hosts_.size());
    for (const std::size_t p : {0U, 1U}) {
      sg::Link* link = zone->create_link("from-" + std::to_string(p + 1),
                                         problem.bandwidth_bytes_per_s * clock_.unit_s());
      link->set_latency(problem.latency_s / clock_.unit_s());
      links_.emplace_back(
          link, clock_,
          combine_slowdowns(pace(Activity::transfer, 0), pace(Activity::transfer, 1)));
      zone->add_route(hosts_[p]->get_netpoint(), hosts_[1 - p]->get_netpoint(), nullptr, nullptr,
                      {sg::LinkInRoute(link)}, false);
    }
    zone->seal();
    const BulkRun expected = run_bulk(problem, plan, durations);
    clock_.widen_precision_until(expected.makespan_s);
  }

  void run() {
    for (const std::int64_t p : {0, 1}) {
      const auto at = static_cast<std::size_t>(p);
      make_daemon(hosts_[at], [this, at] { links_[at].run_pace_changes(); });
      make_daemon(hosts_[at], [this, at, p] {
        run_pace_changes(hosts_[at], clock_, pace(Activity::update, p));
      });
    }
    for (std::size_t direction = 0; direction < carriers(); ++direction) {
      make_actor("messages", hosts_[direction], [this, direction] { run_messages(direction); });
    }
    make_actor("P1", hosts_[0], [this] { compute(0, plan_.fast); });
    make_actor("P2", hosts_[1], [this] { compute(1, plan_.slow); });
    clock_.run();
    out_.flush();
  }

 private:
  std::size_t carriers() const { return plan_.both_directions ? 2 : 1; }

  const SlowdownProfile& pace(Activity activity, std::int64_t p) const {
    static const SlowdownProfile steady;
    return durations_.has_noise() ? durations_.noise()->slowdown_profile(
                                        activity, static_cast<int>(problem_.worker(p)))
                                  : steady;
  }
  double factor(Activity activity, std::int64_t p, std::int64_t n) const {
    return durations_.has_noise()
               ? durations_.noise()->factor(activity, static_cast<int>(problem_.worker(p)), n)
               : 1;
  }

  void send_frame(const BulkFrame& frame) { out_.write(std::as_bytes(std::span(&frame, 1))); }

  void run_messages(std::size_t direction) {
    std::array<std::int64_t, 2> sent{};
    for (std::size_t k = 0; k < plan_.messages.size(); ++k) {
      const BulkMessage& message = plan_.messages[k];
      const auto from = static_cast<std::size_t>(message.from);
      if (plan_.both_directions && from != direction) continue;
      const double start_s = clock_.now_s();
      links_[from].prepare(factor(Activity::transfer, message.from, ++sent[from]));
      const sg::CommPtr comm = sg::Comm::sendto_async(
          hosts_[from], hosts_[1 - from], 8 * static_cast<std::uint64_t>(message.elements));
      links_[from].apply_pace();
      comm->wait();
      send_frame(
          {.message = static_cast<std::int64_t>(k), .start_s = start_s, .end_s = clock_.now_s()});
    }
    for (const sg::SemaphorePtr& arrived : arrived_) arrived->release();
  }

  void compute(std::int64_t p, const BulkWork& work) {
    const auto execute = [&](std::int64_t n, double flops) {
      if (flops > 0) sg::this_actor::execute(flops * factor(Activity::update, p, n));
    };
    execute(1, work.local_flops);
    const double local_end_s = clock_.now_s();
    for (std::size_t i = 0; i < carriers(); ++i) arrived_[static_cast<std::size_t>(p)]->acquire();
    const double start_s = clock_.now_s();
    execute(2, work.rest_flops);
    if (work.local_flops + work.rest_flops == 0) return send_frame({.message = -1 - p});
    send_frame({.message = -1 - p,
                .local_end_s = local_end_s,
                .start_s = start_s,
                .end_s = clock_.now_s()});
  }

  SimgridTime clock_;
  const TwoProcessors& problem_;
  const BulkPlan& plan_;
  const ProductDurations& durations_;
  FrameWriter& out_;
  std::array<sg::Host*, 2> hosts_{};
  std::vector<PacedLink> links_;  ///< by sender
  /// Released once per direction when its messages have arrived, one semaphore per processor.
  std::array<sg::SemaphorePtr, 2> arrived_{sg::Semaphore::create(0), sg::Semaphore::create(0)};
};

}  // namespace

BulkRun simulate_bulk(const TwoProcessors& problem, const BulkPlan& plan, double time_limit_s,
                      const ProductDurations& durations) {
  BulkRun run{.messages = plan.messages};
  std::size_t frames = 0;
  run_in_child(
      [&](FrameWriter& out) {
        BulkActors(problem, plan, durations, out).run();
        _exit(0);  // SimGrid does not survive its own shutdown
      },
      [&](std::span<const std::byte> bytes) {
        const auto frame = object_in<BulkFrame>(bytes);
        ++frames;
        if (frame.message < 0) {
          (frame.message == -1 ? run.fast : run.slow) = {.local_end_s = frame.local_end_s,
                                                         .rest_start_s = frame.start_s,
                                                         .end_s = frame.end_s};
          return;
        }
        BulkMessage& message = run.messages[static_cast<std::size_t>(frame.message)];
        message.start_s = frame.start_s;
        message.end_s = frame.end_s;
        run.communication_s = std::max(run.communication_s, frame.end_s);
      },
      time_limit_s);
  if (frames != plan.messages.size() + 2)
    throw SimulationError(
        "the run is incomplete: dates of a message or of a processor are missing");
  run.makespan_s = std::max(run.fast.end_s, run.slow.end_s);
  return run;
}

}  // namespace starport::spmd
