#include "sim/star/engine/simgrid/simulation.hpp"

namespace starport {
namespace {

/// At the end of a transfer the worker tells the master from when it could take part in the next
/// one: it knows when its updates, the new one included, will end.
void post_request(Simulation& simulation, WorkerProcess& worker, const Message& last,
                  const Dates& dates) {
  worker.transfer_end_s = kUnknown;
  worker.engaged = false;
  worker.requesting = true;
  simulation.clock->end(last, dates);
  simulation.signal_change();
}

}  // namespace

void communicate(Simulation& simulation, WorkerProcess& worker) {
  for (;;) {
    worker.assigned->acquire();
    if (worker.stopping) break;
    Assignment assignment = worker.assignments.front();
    const Message& message = assignment.message;
    if (worker.completed < message.after_update) {
      worker.awaited = message.after_update;
      worker.progress->acquire();
    }
    Dates& dates = assignment.event.traced.dates;
    dates.start_s = simulation.simulated.now_s();
    simulation.clock->move(worker, message);
    dates.end_s = dates.update_start_s = dates.update_end_s = simulation.simulated.now_s();
    worker.assignments.pop_front();
    post_request(simulation, worker, message, dates);
    if (!message.allows_update) {
      simulation.emit(assignment.event);
      continue;
    }
    worker.queue.push_back(assignment);
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
    Assignment& assignment = worker.queue.front();
    Dates& dates = assignment.event.traced.dates;
    dates.update_start_s = simulation.simulated.now_s();
    worker.computing = true;
    const double factor =
        simulation.noise
            ? simulation.noise->factor(Activity::update, worker.number, worker.completed + 1)
            : 1;
    sg::this_actor::execute(update_cost(assignment.message, simulation.problem) * factor *
                            kFlopsPerUpdate);
    dates.update_end_s = simulation.simulated.now_s();
    worker.computing = false;
    ++worker.completed;
    --simulation.updates_in_progress;
    simulation.master.observe_update_end(worker.number, worker.completed, dates.update_end_s);
    simulation.emit(assignment.event);
    worker.queue.pop_front();
    if (worker.awaited > 0 && worker.completed >= worker.awaited) {
      worker.awaited = 0;
      worker.progress->release();
    }
    simulation.signal_change();
  }
}

}  // namespace starport
