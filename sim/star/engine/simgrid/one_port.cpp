#include "sim/star/engine/simgrid/one_port.hpp"

#include "sim/files/error.hpp"
#include "sim/star/engine/simgrid/perturbation.hpp"
#include "sim/star/recurrence.hpp"

#include <algorithm>
#include <variant>

namespace starport {
namespace {

/// When the worker will be done with a transfer and the update it allows, for all that is known.
double expected_end_s(const Simulation& simulation, const Message& message) {
  const int i = message.worker;
  const MasterView& star = simulation.star;
  const double cost = update_cost(message, simulation.problem);
  double start_s = std::max(star.start_s(message), star.update_end_s(i, star.updates_allowed(i)));
  if (!simulation.noise) {
    const Worker& worker = simulation.figures(i);
    return start_s + worker.transfer_time_s(message.blocks) + cost * worker.w_s;
  }
  const NoiseClock& noise = *simulation.noise;
  start_s = std::min(start_s, noise.stop_s(i));
  const double end_s = noise.transfer_end_s(i, star.transfers(i) + 1, start_s, message.blocks);
  return noise.update_end_s(i, star.updates_allowed(i) + 1, end_s, cost);
}

void transfer(Simulation& simulation, const Message& message, std::size_t index) {
  check_order(simulation.star, message);
  simulation.simulated.keep_precision(expected_end_s(simulation, message));
  WorkerProcess& worker = simulation.give_order(message, index);
  worker.requesting = false;
  worker.engaged = true;
  worker.ready = false;
  worker.order->release();
  sg::Mailbox* mailbox = simulation.simulated.worker(message.worker).mailbox;
  if (simulation.in_step) {
    while (!worker.ready) simulation.wait_for_change();
    if (!worker.stopped) exchange_in_step(simulation, worker, message);
  } else if (message.direction == Direction::to_worker) {
    mailbox->put(&worker, simulated_bytes(message));
  } else {
    mailbox->get<WorkerProcess>();
  }
  while (!worker.requesting) simulation.wait_for_change();
}

}  // namespace

void run_one_port(Simulation& simulation) {
  std::size_t index = 0;
  for (;;) {
    simulation.star.observe_time(simulation.simulated.now_s());
    const Decision decision = simulation.dispatcher.next(simulation.star);
    if (std::holds_alternative<Done>(decision)) return;
    if (std::holds_alternative<Wait>(decision)) {
      if (simulation.updates_in_progress == 0 && simulation.star.next_stop_s() == kUnknown) {
        throw SimulationError("the dispatcher waits though no update is in progress");
      }
      simulation.wait_for_change();
      continue;
    }
    if (index == simulation.most_transfers) throw too_many_transfers(index);
    transfer(simulation, *std::get<const Message*>(decision), index++);
  }
}

void move_on_one_port(Simulation& simulation, WorkerProcess& worker, const Message& message) {
  sg::Mailbox* mailbox = simulation.simulated.worker(message.worker).mailbox;
  if (simulation.noise) begin_noisy_transfer(simulation, worker, message);
  if (simulation.in_step) {
    take_part_first(simulation, worker, message);
  } else if (message.direction == Direction::to_worker) {
    mailbox->get<WorkerProcess>();
  } else {
    mailbox->put(&worker, simulated_bytes(message));
  }
}

}  // namespace starport
