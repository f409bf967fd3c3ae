#include "sim/star/engine/simgrid/several_ports.hpp"

#include "sim/files/error.hpp"
#include "sim/star/engine/simgrid/perturbation.hpp"
#include "sim/star/recurrence.hpp"

#include <algorithm>
#include <variant>

namespace starport {
namespace {

void start_transfers(Simulation& simulation) {
  while (const auto worker = simulation.ports.start()) {
    simulation.worker(*worker).order->release();
  }
}

/// What the star tells of a transfer decided on two ports follows from the recurrence at once; on
/// many it is not known before the end.
void decide(Simulation& simulation, const Message& message, std::size_t index) {
  check_order(simulation.star, message);
  if (simulation.platform.port.kind == Port::Kind::two) {
    const Dates expected = simulation.star.advance(message);
    simulation.simulated.keep_precision(expected.update_end_s);
  } else {
    simulation.star.decide(message);
  }
  simulation.give_order(message, index);
  simulation.ports.add(message.worker, message.direction);
  start_transfers(simulation);
}

bool any_port_free(const Simulation& simulation) {
  if (simulation.platform.port.kind == Port::Kind::multi) return simulation.ports.any_free();
  return simulation.star.free(Direction::to_worker) || simulation.star.free(Direction::to_master);
}

}  // namespace

/// Nothing blocks the master between a look at its ports and waiting for a change, so that it
/// misses none.
void run_several_ports(Simulation& simulation) {
  std::size_t index = 0;
  bool done = false;
  while (!done || simulation.ports.under_way() > 0) {
    simulation.star.observe_time(simulation.simulated.now_s());
    if (done || !any_port_free(simulation)) {
      simulation.wait_for_change();
      continue;
    }
    const Decision decision = simulation.dispatcher.next(simulation.star);
    if (const auto* message = std::get_if<const Message*>(&decision)) {
      if (index == simulation.most_transfers) throw too_many_transfers(index);
      decide(simulation, **message, index++);
    } else if (std::holds_alternative<Done>(decision)) {
      done = true;
    } else if (simulation.updates_in_progress == 0 && simulation.ports.under_way() == 0) {
      throw SimulationError("the dispatcher waits though no update is in progress");
    } else {
      simulation.wait_for_change();
    }
  }
}

void move_on_several_ports(Simulation& simulation, WorkerProcess& worker, const Message& message) {
  SimulatedStar& simulated = simulation.simulated;
  const Platform& platform = simulation.platform;
  const Worker& figures = simulation.figures(message.worker);
  const double slowest_c_s =
      std::max(figures.c_s, platform.port.c_s * static_cast<double>(platform.workers.size()));
  simulated.keep_precision(simulated.now_s() + figures.latency_s +
                           static_cast<double>(message.blocks) * slowest_c_s +
                           update_cost(message, simulation.problem) * figures.w_s);
  if (platform.port.c_s > 0) simulated.sleep_for(figures.latency_s);
  if (simulation.noise) begin_noisy_transfer(simulation, worker, message);
  sg::Host* host = simulated.worker(message.worker).host;
  const bool sent = message.direction == Direction::to_worker;
  const sg::CommPtr transfer = sg::Comm::sendto_async(
      sent ? simulated.master() : host, sent ? host : simulated.master(), simulated_bytes(message));
  if (simulation.in_step) simulated.keep_pace(message.worker);
  transfer->wait();
}

void free_port(Simulation& simulation, const Message& message, const Dates& dates) {
  if (simulation.platform.port.kind == Port::Kind::multi) {
    simulation.simulated.keep_precision(
        simulation.star.end(message, dates.start_s, dates.end_s).update_end_s);
  }
  simulation.ports.end(message.worker, message.direction);
  start_transfers(simulation);
}

}  // namespace starport
