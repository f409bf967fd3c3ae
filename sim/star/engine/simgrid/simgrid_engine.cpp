#include "sim/star/engine/simgrid/simgrid_engine.hpp"

#include "sim/star/analytic_run.hpp"
#include "sim/star/engine/simgrid/simulation.hpp"
#include "sim/star/port_clock.hpp"

#include <fmt/format.h>
#include <simgrid/version.h>
#include <unistd.h>

namespace starport {
namespace {

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
    const std::size_t limit = max_transfers(limits_, noise);
    if (!noise.is_none() && !fix_order(plan, platform, problem, limit)) {
      throw too_many_transfers(limit);
    }
    simulate_on_simgrid(platform, problem, *plan.dispatcher, noise, limit, out);
  };
  return run_isolated(planner, simulate, limits_.time_limit_s, consumer);
}

}  // namespace starport
