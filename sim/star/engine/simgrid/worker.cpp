#include "sim/star/engine/simgrid/worker.hpp"

#include "sim/star/engine/simgrid/one_port.hpp"
#include "sim/star/engine/simgrid/several_ports.hpp"

namespace starport {
namespace {

/// At the end of a transfer the worker tells the master from when it could take part in the next
/// one: it knows when its updates, the new one included, will end.
void post_request(Simulation& simulation, WorkerProcess& worker, const Message& last,
                  const Dates& dates) {
  worker.transfer_end_s = kUnknown;
  worker.engaged = false;
  worker.requesting = true;
  if (simulation.one_port()) {
    simulation.star.record(last, dates.start_s, dates.end_s);
  } else {
    free_port(simulation, last, dates);
  }
  simulation.signal_change();
}

}  // namespace

void communicate(Simulation& simulation, WorkerProcess& worker) {
  for (;;) {
    worker.order->acquire();
    if (worker.stopping) break;
    Order order = worker.orders.front();
    const Message& message = order.message;
    if (worker.completed < message.after_update) {
      worker.awaited = message.after_update;
      worker.progress->acquire();
    }
    Dates& dates = order.event.traced.dates;
    dates.start_s = simulation.simulated.now_s();
    if (simulation.one_port()) {
      move_on_one_port(simulation, worker, message);
    } else {
      move_on_several_ports(simulation, worker, message);
    }
    dates.end_s = dates.update_start_s = dates.update_end_s = simulation.simulated.now_s();
    worker.orders.pop_front();
    post_request(simulation, worker, message, dates);
    if (!message.allows_update) {
      simulation.emit(order.event);
      continue;
    }
    worker.queue.push_back(order);
    if (worker.computer_idle) {
      worker.computer_idle = false;
      worker.work->release();
    }
  }
  if (worker.computer_idle) worker.work->release();
}

void compute(Simulation& simulation, WorkerProcess& worker) {
  for (;;) {
    if (worker.queue.empty()) {
      if (worker.stopping) break;
      worker.computer_idle = true;
      worker.work->acquire();
      continue;
    }
    Order& order = worker.queue.front();
    Dates& dates = order.event.traced.dates;
    dates.update_start_s = simulation.simulated.now_s();
    worker.computing = true;
    const double factor =
        simulation.noise
            ? simulation.noise->factor(Activity::update, worker.number, worker.completed + 1)
            : 1;
    sg::this_actor::execute(update_cost(order.message, simulation.problem) * factor *
                            kFlopsPerUpdate);
    dates.update_end_s = simulation.simulated.now_s();
    worker.computing = false;
    ++worker.completed;
    --simulation.updates_in_progress;
    simulation.star.observe_update_end(worker.number, worker.completed, dates.update_end_s);
    simulation.emit(order.event);
    worker.queue.pop_front();
    if (worker.awaited > 0 && worker.completed >= worker.awaited) {
      worker.awaited = 0;
      worker.progress->release();
    }
    simulation.signal_change();
  }
}

}  // namespace starport
