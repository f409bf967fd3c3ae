#include "sim/star/engine/simgrid/simulated_platform.hpp"

#include "sim/star/analytic_run.hpp"
#include "sim/star/engine/simgrid/simgrid_engine.hpp"
#include "sim/star/engine/simgrid/simulation.hpp"
#include "sim/star/port_clock.hpp"

#include <fmt/format.h>
#include <simgrid/version.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace starport {
namespace {

// SimGrid's message sizes are integers: the fastest link takes kUnitsPerBlock of its clock for a
// block, whatever the platform's own scale, and a block is kBytesPerBlock.
constexpr double kUnitsPerBlock = 1e4;
constexpr std::int64_t kBytesPerBlock = 1'000'000;

/// The unit must suit the fastest link at its fastest.
double fastest_block_s(const Platform& platform, const DrawnNoise* noise) {
  double fastest_c_s = kUnknown;
  for (const Worker& worker : platform.workers) fastest_c_s = std::min(fastest_c_s, worker.c_s);
  if (noise == nullptr) return fastest_c_s;
  double least_factor = 1;
  for (const SlowDown& change : noise->slow_downs()) {
    least_factor = std::min(least_factor, change.factor);
  }
  return fastest_c_s * least_factor;
}

void run_master(Simulation& simulation) {
  run_dispatcher(simulation.dispatcher, *simulation.clock, simulation.master,
                 [&](const Message& message) { simulation.clock->carry_out(message); });
  while (simulation.clock->has_transfer_under_way()) simulation.wait_for_change();
  for (WorkerProcess& worker : simulation.workers) {
    worker.stopping = true;
    if (!worker.enrolled || worker.stopped) continue;
    worker.assigned->release();
    if (worker.computer_idle) worker.work->release();
  }
}

/// Runs the dispatcher's schedule to its end and writes a SimulatedTransfer for each transfer once
/// it and the update it allows have ended. Throws SimulationError if the schedule cannot be
/// completed. Ends the process, since SimGrid does not survive its own shutdown.
[[noreturn]] void simulate_on_simgrid(const Platform& platform, const Problem& problem,
                                      Dispatcher& dispatcher, const Noise& noise,
                                      std::size_t max_transfers, FrameWriter& out) {
  Simulation simulation(platform, problem, dispatcher, noise, max_transfers, out);
  sg::Host* host = simulation.simulated.master();
  if (simulation.noise) make_daemon(host, [&] { apply_perturbations(simulation); });
  make_actor("master", host, [&] { run_master(simulation); });
  simulation.simulated.run();
  out.write({});  // the end, as run_isolated() would write it
  out.flush();
  _exit(0);
}

}  // namespace

std::uint64_t simulated_bytes(const Message& message) {
  return static_cast<std::uint64_t>(message.blocks * kBytesPerBlock);
}

//                                 link 1: 1/c_1        worker 1: 1/w_1
//   master -[shared link: 1/c]----link 2: 1/c_2------- worker 2: 1/w_2
//                                 link p: 1/c_p        worker p: 1/w_p
//
// The shared link exists if a multi-port has a bandwidth. SimGrid would weight the shares of the
// bandwidth by the latencies of links, so links have none then: workers sleep for their latency.
SimulatedPlatform::SimulatedPlatform(const Platform& platform, const DrawnNoise* noise)
    : SimgridTime(fastest_block_s(platform, noise) / kUnitsPerBlock) {
  sg::NetZone* star = sg::create_star_zone("star");
  master_ = star->create_host("master", 1.0);
  const auto bandwidth = [&](double c_s) {
    return static_cast<double>(kBytesPerBlock) * unit_s() / c_s;
  };
  std::vector<sg::LinkInRoute> shared;
  if (platform.port.c_s > 0) {
    shared.emplace_back(star->create_link("shared", bandwidth(platform.port.c_s)));
  }
  star->add_route(master_->get_netpoint(), nullptr, nullptr, nullptr, shared, true);
  for (const starport::Worker& figures : platform.workers) {
    const auto i = static_cast<int>(workers_.size());
    const auto pace = [&](Activity activity) {
      return noise == nullptr ? SlowdownProfile{} : noise->slowdown_profile(activity, i);
    };
    const std::string number = std::to_string(i + 1);
    sg::Host* host = star->create_host(
        "worker-" + number,
        pstate_speeds(kFlopsPerUpdate * unit_s() / figures.w_s, pace(Activity::update)));
    sg::Link* link = star->create_link("link-" + number, bandwidth(figures.c_s));
    if (shared.empty()) link->set_latency(figures.latency_s / unit_s());
    star->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {sg::LinkInRoute(link)}, true);
    workers_.push_back({.host = host, .link = {link, *this, pace(Activity::transfer)}});
  }
  star->seal();
}

void SimulatedPlatform::change_pace(const SlowDown& change) {
  Worker& slowed = worker(change.worker);
  if (change.activity == Activity::update) {
    slowed.host->set_pstate(++slowed.pstate);
  } else {
    slowed.link.set_pace(change.factor);
  }
}

Run SimgridEngine::run(const Platform& platform, const Problem& problem, const Planner& planner,
                       const Noise& noise) const {
  return collect_trace(limits_, [&](const TransferConsumer& consumer) {
    return stream(platform, problem, planner, noise, consumer);
  });
}

PlanSummary SimgridEngine::stream(const Platform& platform, const Problem& problem,
                                  const Planner& planner, const Noise& noise,
                                  const TransferConsumer& consumer) const {
  const auto simulate = [&](Plan& plan, FrameWriter& out) {
    const std::size_t limit = max_transfers(limits_, noise, platform.port);
    if (!noise.is_none()) {
      fix_order(plan, platform, problem, [&](std::size_t transfers) {
        if (transfers > limit) throw too_many_transfers(limit);
      });
    }
    simulate_on_simgrid(platform, problem, *plan.dispatcher, noise, limit, out);
  };
  return run_isolated(planner, simulate, limits_.time_limit_s, consumer);
}

}  // namespace starport
