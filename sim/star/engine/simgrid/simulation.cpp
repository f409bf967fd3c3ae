#include "sim/star/engine/simgrid/simulation.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/recurrence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace starport {
namespace {

/// Returns the number of actors that a process can create: the stack of an actor and its guard page
/// take two memory maps, whose number the kernel limits.
std::int64_t max_actors() {
  std::int64_t maps = 65530;
  std::ifstream("/proc/sys/vm/max_map_count") >> maps;
  constexpr std::int64_t maps_of_the_program = 1000;
  return std::max<std::int64_t>(2, (maps - maps_of_the_program) / 2);
}

/// Ends a transfer on the worker's side: updates the master's view, which has the worker's next
/// request, and wakes the master.
void post_request(Simulation& simulation, WorkerProcess& worker, const Message& last,
                  const Dates& dates) {
  worker.transfer_end_s = kUnknown;
  worker.in_transfer = false;
  simulation.clock->end(last, dates);
  simulation.signal_change();
}

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

Simulation::Simulation(const Platform& star, const Problem& product, Dispatcher& decisions,
                       const Noise& disturbance, std::size_t limit, FrameWriter& sink)
    : platform(star),
      problem(product),
      dispatcher(decisions),
      out(sink),
      noise(draw_noise(disturbance, star)),
      can_change_during_transfer(!disturbance.stops.empty() || !disturbance.slow_downs.empty()),
      master(star, product),
      simulated(star, noise ? &*noise : nullptr),
      workers(star.workers.size()),
      clock(make_simgrid_clock(*this)),
      max_transfers_(limit),
      max_enrolled_(star.port.kind == Port::Kind::one ? max_actors() : max_actors() / 2) {
  int number = 0;
  for (WorkerProcess& worker : workers) worker.number = number++;
}

WorkerProcess& Simulation::assign(const Message& message) {
  if (transfers_ == max_transfers_) throw too_many_transfers(max_transfers_);
  WorkerProcess& worker = workers[message.worker];
  worker.assignments.push_back(
      {.message = message,
       .event = {.index = transfers_++,
                 .traced = {.transfer = dispatcher.transfer(), .dates = {}}}});
  if (message.allows_update) ++updates_in_progress;
  enrol(worker);
  return worker;
}

// Actors are created at the first transfer: most workers of a large platform may never get one.
void Simulation::enrol(WorkerProcess& worker) {
  if (worker.enrolled) return;
  if (++enrolled_ > max_enrolled_) {
    throw SimulationError(fmt::format(
        "SimGrid cannot run more than {} workers here, because the stacks of their actors would "
        "need more "
        "memory maps than a process may have. Raise vm.max_map_count, or use --engine analytic.",
        max_enrolled_));
  }
  worker.enrolled = true;
  sg::Host* host = simulated.worker(worker.number).host;
  if (platform.port.kind != Port::Kind::one) {
    make_actor("communicate", host, [this, &worker] { communicate(*this, worker); });
  }
  make_actor("compute", host, [this, &worker] { compute(*this, worker); });
}

void Simulation::wait_for_change(double until_s) {
  master_waits_ = true;
  if (until_s == kUnknown) {
    change_->acquire();
    return;
  }
  simulated.widen_precision_until(until_s);
  // A change that is signalled at the same date wakes the master once more, for nothing.
  static_cast<void>(change_->acquire_timeout(simulated.units_until(until_s)));
  master_waits_ = false;
}

void Simulation::signal_change() {
  if (!master_waits_) return;
  master_waits_ = false;
  change_->release();
}

void perform_next_transfer(Simulation& simulation, WorkerProcess& worker) {
  Assignment& next = worker.assignments.front();
  if (worker.completed < next.message.after_update) {
    worker.awaited = next.message.after_update;
    worker.progress->acquire();
  }
  if (worker.stopped) return;
  Dates& dates = next.event.traced.dates;
  dates.start_s = simulation.simulated.now_s();
  simulation.clock->move(worker, next.message);
  if (worker.stopped) return;
  dates.end_s = dates.update_start_s = dates.update_end_s = simulation.simulated.now_s();
  const Message over = next.message;
  const Dates transfer = dates;
  if (over.allows_update) {
    worker.queue.splice(worker.queue.end(), worker.assignments, worker.assignments.begin());
  } else {
    simulation.emit(next.event);
    worker.assignments.pop_front();
  }
  post_request(simulation, worker, over, transfer);
  if (over.allows_update && worker.computer_idle) {
    worker.computer_idle = false;
    worker.work->release();
  }
}

void communicate(Simulation& simulation, WorkerProcess& worker) {
  for (;;) {
    worker.assigned->acquire();
    if (worker.stopping) break;
    perform_next_transfer(simulation, worker);
  }
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
    const double cost = update_cost(assignment.message, simulation.problem,
                                    simulation.platform.workers[worker.number]);
    sg::this_actor::execute(cost * factor * kFlopsPerUpdate);
    dates.update_end_s = simulation.simulated.now_s();
    worker.computing = false;
    ++worker.completed;
    --simulation.updates_in_progress;
    simulation.master.correct_update_end(worker.number, worker.completed, dates.update_end_s);
    simulation.emit(assignment.event);
    worker.queue.pop_front();
    if (worker.awaited > 0 && worker.completed >= worker.awaited) {
      worker.awaited = 0;
      worker.progress->release();
    }
    simulation.signal_change();
  }
}

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
