// The master that is in one transfer at a time: the rule holds because it is one actor and each of
// its transfers blocks it.
#include "sim/star/engine/simgrid/perturbation.hpp"
#include "sim/star/engine/simgrid/simgrid_clock.hpp"
#include "sim/star/noisy_recurrence.hpp"
#include "sim/star/nominal_recurrence.hpp"

#include <algorithm>

namespace starport {
namespace {

sg::Mailbox* mailbox(Simulation& simulation, const Message& message) {
  return simulation.simulated.worker(message.worker).mailbox;
}

template <class Recurrence>
class OnePort final : public SimgridClock {
 public:
  OnePort(Simulation& simulation, Recurrence recurrence)
      : SimgridClock(simulation), recurrence_(recurrence) {}

  void carry_out(const Message& message) override {
    simulation_.simulated.keep_precision(expected_end_s(message));
    WorkerProcess& worker = simulation_.assign(message);
    worker.requesting = false;
    worker.engaged = true;
    worker.ready = false;
    worker.assigned->release();
    if (simulation_.in_step) {
      while (!worker.ready) simulation_.wait_for_change();
      if (!worker.stopped) exchange_in_step(simulation_, worker, message);
    } else if (message.direction == Direction::to_worker) {
      mailbox(simulation_, message)->put(&worker, simulated_bytes(message));
    } else {
      mailbox(simulation_, message)->template get<WorkerProcess>();
    }
    while (!worker.requesting) simulation_.wait_for_change();
  }

  void move(WorkerProcess& worker, const Message& message) override {
    if (simulation_.noise) begin_noisy_transfer(simulation_, worker, message);
    if (simulation_.in_step) {
      take_part_first(simulation_, worker, message);
    } else if (message.direction == Direction::to_worker) {
      mailbox(simulation_, message)->template get<WorkerProcess>();
    } else {
      mailbox(simulation_, message)->put(&worker, simulated_bytes(message));
    }
  }

  void end(const Message& message, const Dates& dates) override {
    recurrence_.record(simulation_.master, message, dates.start_s, dates.end_s);
  }

 private:
  void observe_time(double now_s) override {
    simulation_.master.observe_time(now_s);
    recurrence_.observe_stops(simulation_.master);
  }
  double expected_end_s(const Message& message);

  Recurrence recurrence_;
};

/// When the worker will be done with a transfer and the update it allows, for all that is known.
template <class Recurrence>
double OnePort<Recurrence>::expected_end_s(const Message& message) {
  const int i = message.worker;
  const MasterView& master = simulation_.master;
  const std::int64_t updates = master.updates_allowed(i);
  const double cost = update_cost(message, simulation_.problem);
  double start_s = std::max(master.start_s(message), master.update_end_s(i, updates));
  if (!simulation_.noise) {
    const Worker& worker = simulation_.platform.workers[i];
    return start_s + worker.transfer_time_s(message.blocks) + cost * worker.w_s;
  }
  const DrawnNoise& noise = *simulation_.noise;
  start_s = std::min(start_s, noise.stop_s(i));
  const std::int64_t n = simulation_.workers[i].transfers + 1;
  return noise.update_end_s(i, updates + 1, noise.transfer_end_s(i, n, start_s, message.blocks),
                            cost);
}

}  // namespace

std::unique_ptr<SimgridClock> one_port_clock(Simulation& simulation) {
  if (!simulation.noise)
    return std::make_unique<OnePort<NominalRecurrence>>(simulation, NominalRecurrence{});
  return std::make_unique<OnePort<NoisyRecurrence>>(simulation, NoisyRecurrence(*simulation.noise));
}

}  // namespace starport
