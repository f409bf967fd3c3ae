#include "sim/platform/ties.hpp"
#include "sim/star/engine/simgrid/simulation.hpp"
#include "sim/star/recurrence.hpp"

namespace starport {
namespace {

/// Waits for transfers and updates that end at the date of a stop, which count as complete but may
/// end a rounding error later in the simulation.
void wait_for_simultaneous_ends(const Simulation& simulation, const WorkerProcess& worker,
                                double date_s) {
  for (;;) {
    const MasterView& master = simulation.master;
    const bool update_ends = worker.completed < master.updates_allowed(worker.number) &&
                             master.update_end_s(worker.number, worker.completed + 1) != kUnknown;
    const bool transfer_ends = worker.in_transfer && worker.transfer_end_s != kUnknown &&
                               !clearly_less(date_s, worker.transfer_end_s);
    if (!update_ends && !transfer_ends) return;
    simulation.simulated.sleep_smallest_step();
  }
}

void lose_updates(Simulation& simulation, WorkerProcess& worker, double date_s) {
  for (Assignment& assignment : worker.queue) {
    Dates& dates = assignment.event.traced.dates;
    const bool under_way = &assignment == &worker.queue.front() && worker.computing;
    if (!under_way) dates.update_start_s = date_s;
    dates.update_end_s = date_s;
    dates.fate = Fate::update_lost;
    --simulation.updates_in_progress;
    simulation.emit(assignment.event);
  }
  worker.queue.clear();
}

void lose_transfer(Simulation& simulation, WorkerProcess& worker, double date_s) {
  Assignment& assignment = worker.assignments.front();
  const bool under_way = worker.transfer_end_s != kUnknown;
  Dates& dates = assignment.event.traced.dates;
  dates = record_lost(simulation.master, assignment.message, under_way ? dates.start_s : date_s,
                      date_s);
  if (assignment.message.allows_update) --simulation.updates_in_progress;
  simulation.emit(assignment.event);
}

/// Stops a worker: turns its host off, which ends its actors, and cancels its transfer.
void stop_worker(Simulation& simulation, const Stop& stop) {
  WorkerProcess& worker = simulation.workers[stop.worker];
  wait_for_simultaneous_ends(simulation, worker, stop.at_s);
  worker.stopped = true;
  lose_updates(simulation, worker, stop.at_s);
  if (worker.in_transfer) lose_transfer(simulation, worker, stop.at_s);
  simulation.simulated.worker(stop.worker).host->turn_off();
  worker.in_transfer = false;
  if (worker.transfer) worker.transfer->cancel();
  if (worker.awaited > 0) worker.progress->release();
  simulation.signal_change();
}

}  // namespace

void apply_perturbations(Simulation& simulation) {
  SimulatedPlatform& simulated = simulation.simulated;
  const auto& changes = simulation.noise->slow_downs();
  auto change = changes.begin();
  const auto change_pace_until = [&](double date_s) {
    for (; change != changes.end() && change->from_s <= date_s; ++change) {
      simulated.sleep_until(change->from_s);
      simulated.change_pace(*change);
    }
  };
  for (const Stop& stop : simulation.noise->stops_until(kUnknown)) {
    change_pace_until(stop.at_s);
    simulated.sleep_until(stop.at_s);
    stop_worker(simulation, stop);
  }
  change_pace_until(kUnknown);
}

// No other transfer uses the link meanwhile, so that the factor can be applied to its bandwidth.
void prepare_noisy_transfer(Simulation& simulation, WorkerProcess& worker, const Message& message) {
  const int i = worker.number;
  const std::int64_t n = ++worker.transfers;
  const double now_s = simulation.simulated.now_s();
  worker.transfer_end_s = simulation.noise->transfer_end_s(i, n, now_s, message.blocks);
  worker.assignments.front().event.traced.dates.start_s = now_s;
  simulation.simulated.worker(i).link.prepare(simulation.noise->factor(Activity::transfer, i, n));
}

}  // namespace starport
