#include "sim/star/engine/simgrid/simgrid_engine.hpp"

#include "sim/star/engine/simgrid/simulation.hpp"
#include "sim/star/port_clock.hpp"
#include "sim/star/recurrence.hpp"

#include <fmt/format.h>
#include <simgrid/version.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <vector>

namespace starport {
namespace {

void run_master(Simulation& simulation) {
  run_by_clock(simulation.dispatcher, *simulation.clock, simulation.master,
               [&](const Message& message) { simulation.clock->carry_out(message); });
  while (simulation.clock->under_way()) simulation.wait_for_change();
  for (WorkerProcess& worker : simulation.workers) {
    worker.stopping = true;
    if (worker.enrolled && !worker.stopped) worker.assigned->release();
  }
}

/// Runs what the dispatcher emits, to its end, and writes a PortEvent for each transfer once it and
/// the update it allows are over. Throws SimulationError when it does not get there. To be called
/// once in a process, which it ends: SimGrid does not survive its own shutdown.
[[noreturn]] void simulate_on_simgrid(const Platform& platform, const Problem& problem,
                                      Dispatcher& dispatcher, const Noise& noise,
                                      std::size_t most_transfers, FrameWriter& out) {
  std::vector<std::string> arguments{"starport", "--log=root.thresh:error"};  // errors only
#ifdef __SANITIZE_ADDRESS__
  arguments.emplace_back("--cfg=contexts/factory:thread");  // it does not follow other stacks
#endif
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  // SimGrid takes Ctrl-C to tell where its actors are, which is no handler's work (it allocates)
  // and would pass for a crash: what becomes of the signal was decided before.
  struct sigaction on_interrupt {};
  ::sigaction(SIGINT, nullptr, &on_interrupt);
  const sg::Engine engine(&argc, argv.data());
  ::sigaction(SIGINT, &on_interrupt, nullptr);
  sg::Engine::on_deadlock_cb(
      [] { abandon_child(SimulationError("the simulated actors are in a deadlock")); });

  Simulation simulation(platform, problem, dispatcher, noise, most_transfers, out);
  sg::Host* host = simulation.simulated.master();
  if (simulation.noise) {
    sg::Actor::create("noise", host, [&] { bring_about(simulation); })->daemonize();
  }
  sg::Actor::create("master", host, [&] {
    try {
      run_master(simulation);
    } catch (const std::exception& error) {
      abandon_child(error);
    }
  });
  engine.run();
  out.flush();
  _exit(0);
}

}  // namespace

std::string simgrid_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return fmt::format("{}.{}", major, minor) + (patch > 0 ? fmt::format(".{}", patch) : "");
}

Run SimgridEngine::run(const Platform& platform, const Problem& problem, const Planner& planner,
                       const Noise& noise) const {
  const auto simulate = [&](Plan& plan, FrameWriter& out) {
    if (!noise.none() && !keep_to_order(plan, platform, problem, limits_.most_transfers)) {
      throw too_many_transfers(limits_.most_transfers);
    }
    simulate_on_simgrid(platform, problem, *plan.dispatcher, noise, limits_.most_transfers, out);
  };
  return run_isolated(planner, simulate, limits_.time_limit_s);
}

}  // namespace starport
