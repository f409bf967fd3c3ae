// Clocks of SimGrid simulations, one for each kind of port.

#include "sim/star/engine/simgrid/simulation.hpp"
#include "sim/star/port_clock.hpp"
#include "sim/star/port_queues.hpp"
#include "sim/star/recurrence.hpp"

#include <algorithm>

namespace starport {
namespace {

/// Sends the blocks of `message` through the simulated network and waits for the end. Returns early
/// if the worker stops.
void move_blocks(Simulation& simulation, WorkerProcess& worker, const Message& message) {
  SimulatedPlatform& simulated = simulation.simulated;
  SimulatedPlatform::Worker& there = simulated.worker(message.worker);
  const bool sent = message.direction == Direction::to_worker;
  worker.transfer =
      sg::Comm::sendto_async(sent ? simulated.master() : there.host,
                             sent ? there.host : simulated.master(), simulated_bytes(message));
  if (simulation.can_change_during_transfer) there.link.apply_pace();
  try {
    worker.transfer->wait();
  } catch (const simgrid::Exception&) {
    if (!worker.stopped) throw;
  }
}

/// Clock of one port. There is one transfer at a time because each one blocks the master's actor.
template <class Recurrence>
class OnePort final : public SimgridClock {
 public:
  OnePort(Simulation& simulation, Recurrence recurrence)
      : SimgridClock(simulation), recurrence_(recurrence) {}

  void carry_out(const Message& message) override {
    simulation_.simulated.widen_precision_until(expected_end_s(message));
    WorkerProcess& worker = simulation_.assign(message);
    worker.in_transfer = true;
    perform_next_transfer(simulation_, worker);
  }

  void move(WorkerProcess& worker, const Message& message) override {
    if (simulation_.noise) prepare_noisy_transfer(simulation_, worker, message);
    move_blocks(simulation_, worker, message);
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

/// Returns an upper estimate of the date at which a transfer and the update it allows will have
/// ended.
template <class Recurrence>
double OnePort<Recurrence>::expected_end_s(const Message& message) {
  const int i = message.worker;
  const MasterView& master = simulation_.master;
  const std::int64_t updates = master.updates_allowed(i);
  const Worker& worker = simulation_.platform.workers[i];
  const double cost = update_cost(message, simulation_.problem, worker);
  double start_s = std::max(master.earliest_start_s(message), master.update_end_s(i, updates));
  if (!simulation_.noise) {
    return start_s + worker.transfer_time_s(message.blocks) + cost * worker.w_s;
  }
  const DrawnNoise& noise = *simulation_.noise;
  start_s = std::min(start_s, noise.stop_s(i));
  const std::int64_t n = simulation_.workers[i].transfers + 1;
  return noise.update_end_s(i, updates + 1, noise.transfer_end_s(i, n, start_s, message.blocks),
                            cost);
}

/// Base of the clocks of several ports: transfers proceed while the master decides.
template <class Queue>
class SeveralPorts : public SimgridClock {
 public:
  SeveralPorts(Simulation& simulation, Queue queue)
      : SimgridClock(simulation), queue_(std::move(queue)) {}

  bool has_transfer_under_way() const override { return under_way_ > 0; }

  // Called by the worker's actor, since the master has no actor per transfer.
  void move(WorkerProcess& worker, const Message& message) override;

 protected:
  void add(const Message& message) {
    simulation_.assign(message);
    ++under_way_;
    queue_.add(message.worker, message.direction);
    start_transfers();
  }
  void remove(const Message& message) {
    --under_way_;
    queue_.end(message.worker, message.direction);
    start_transfers();
  }

  Queue queue_;

 private:
  void start_transfers() {
    while (const auto worker = queue_.start_next())
      simulation_.workers[*worker].assigned->release();
  }

  std::int64_t under_way_ = 0;
};

template <class Queue>
void SeveralPorts<Queue>::move(WorkerProcess& worker, const Message& message) {
  SimulatedPlatform& simulated = simulation_.simulated;
  const Platform& platform = simulation_.platform;
  const Worker& figures = platform.workers[message.worker];
  const double slowest_c_s =
      std::max(figures.c_s, platform.port.c_s * static_cast<double>(platform.workers.size()));
  simulated.widen_precision_until(simulated.now_s() + figures.latency_s +
                                  static_cast<double>(message.blocks) * slowest_c_s +
                                  update_cost(message, simulation_.problem, figures) * figures.w_s);
  if (platform.port.c_s > 0) simulated.sleep_for(figures.latency_s);
  if (simulation_.noise) prepare_noisy_transfer(simulation_, worker, message);
  move_blocks(simulation_, worker, message);
}

/// Clock of two ports. The recurrence gives the dates of a transfer as soon as it is decided.
template <class Recurrence>
class TwoPorts final : public SeveralPorts<TwoPortQueue> {
 public:
  TwoPorts(Simulation& simulation, Recurrence recurrence)
      : SeveralPorts(simulation, TwoPortQueue(simulation.platform.workers.size())),
        recurrence_(simulation.master, recurrence) {}

  void carry_out(const Message& message) override {
    simulation_.simulated.widen_precision_until(recurrence_.advance(message).update_end_s);
    add(message);
  }
  void end(const Message& message, const Dates& /*dates*/) override { remove(message); }

 private:
  bool is_any_port_free() const override { return recurrence_.is_any_port_free(); }
  void observe_time(double now_s) override { recurrence_.observe_time(now_s); }

  TwoPortClock<Recurrence> recurrence_;
};

/// Clock of many ports. The dates of a transfer are unknown until it ends.
class ManyPorts final : public SeveralPorts<ManyPortQueue> {
 public:
  explicit ManyPorts(Simulation& simulation)
      : SeveralPorts(simulation,
                     {simulation.platform.workers.size(), simulation.platform.port.max_transfers}),
        under_way_(simulation.master),
        updates_arrived_(simulation.platform.workers.size()) {}

  void carry_out(const Message& message) override {
    under_way_.begin(message.worker);
    if (message.allows_update) simulation_.master.allow_update(message.worker, kUnknown);
    add(message);
  }

  void end(const Message& message, const Dates& transfer) override {
    const int i = message.worker;
    MasterView& master = simulation_.master;
    master.end_transfer(i, transfer.end_s);
    Dates dates = transfer;
    if (message.allows_update) {
      const std::int64_t n = ++updates_arrived_[i];
      NominalRecurrence::date_update(master, message, i, n, dates);
      master.correct_update_end(i, n, dates.update_end_s);
    }
    under_way_.set_last_end(i, transfer.end_s);
    under_way_.end(i);
    remove(message);
  }

 private:
  bool is_any_port_free() const override { return queue_.is_any_port_free(); }
  void observe_time(double now_s) override { simulation_.master.observe_time(now_s); }

  ActiveTransfers under_way_;
  PerWorker<std::int64_t> updates_arrived_;
};

template <template <class> class Ports>
std::unique_ptr<SimgridClock> with_recurrence(Simulation& simulation) {
  if (!simulation.noise) {
    return std::make_unique<Ports<NominalRecurrence>>(simulation, NominalRecurrence{});
  }
  return std::make_unique<Ports<NoisyRecurrence>>(simulation, NoisyRecurrence(*simulation.noise));
}

}  // namespace

void SimgridClock::reach_decision() {
  for (;;) {
    observe_time(simulation_.simulated.now_s());
    if (is_any_port_free()) return;
    simulation_.wait_for_change();
  }
}

bool SimgridClock::wait(const Wait& wait) {
  const bool has_later_stop =
      simulation_.noise && simulation_.noise->next_stop_s(simulation_.master.now_s()) != kUnknown;
  if (wait.until_s == kUnknown && simulation_.updates_in_progress == 0 &&
      !has_transfer_under_way() && !has_later_stop) {
    return false;
  }
  simulation_.wait_for_change(wait.until_s);
  return true;
}

std::unique_ptr<SimgridClock> make_simgrid_clock(Simulation& simulation) {
  switch (simulation.platform.port.kind) {
    case Port::Kind::one:
      return with_recurrence<OnePort>(simulation);
    case Port::Kind::two:
      return with_recurrence<TwoPorts>(simulation);
    case Port::Kind::multi:
      break;
  }
  return std::make_unique<ManyPorts>(simulation);
}

}  // namespace starport
