// The master that can be in several transfers at once: they go on while it decides.
#include "sim/star/engine/simgrid/perturbation.hpp"
#include "sim/star/engine/simgrid/port_queue.hpp"
#include "sim/star/engine/simgrid/simgrid_clock.hpp"
#include "sim/star/noisy_recurrence.hpp"
#include "sim/star/port_clock.hpp"

#include <algorithm>

namespace starport {
namespace {

template <class Queue>
class SeveralPorts : public SimgridClock {
 public:
  SeveralPorts(Simulation& simulation, Queue queue)
      : SimgridClock(simulation), queue_(std::move(queue)) {}

  bool under_way() const override { return under_way_ > 0; }

  /// By the worker alone, once the master has given it the port: the master has no actor for each
  /// of its transfers.
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
    while (const auto worker = queue_.start()) simulation_.workers[*worker].assigned->release();
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
  simulated.keep_precision(simulated.now_s() + figures.latency_s +
                           static_cast<double>(message.blocks) * slowest_c_s +
                           update_cost(message, simulation_.problem) * figures.w_s);
  if (platform.port.c_s > 0) simulated.sleep_for(figures.latency_s);
  if (simulation_.noise) begin_noisy_transfer(simulation_, worker, message);
  sg::Host* host = simulated.worker(message.worker).host;
  const bool sent = message.direction == Direction::to_worker;
  const sg::CommPtr transfer = sg::Comm::sendto_async(
      sent ? simulated.master() : host, sent ? host : simulated.master(), simulated_bytes(message));
  if (simulation_.in_step) simulated.keep_pace(message.worker);
  transfer->wait();
}

/// What the master's view tells of a transfer decided on two ports follows from the recurrence at
/// once.
template <class Recurrence>
class TwoPorts final : public SeveralPorts<TwoPortQueue> {
 public:
  TwoPorts(Simulation& simulation, Recurrence recurrence)
      : SeveralPorts(simulation, TwoPortQueue(simulation.platform.workers.size())),
        recurrence_(simulation.master, recurrence) {}

  void carry_out(const Message& message) override {
    simulation_.simulated.keep_precision(recurrence_.advance(message).update_end_s);
    add(message);
  }
  void end(const Message& message, const Dates& /*dates*/) override { remove(message); }

 private:
  bool any_port_free() const override { return recurrence_.any_free(); }
  void observe_time(double now_s) override { recurrence_.observe_time(now_s); }

  TwoPortClock<Recurrence> recurrence_;
};

/// On many ports it is not known before the transfer is over.
class ManyPorts final : public SeveralPorts<ManyPortQueue> {
 public:
  explicit ManyPorts(Simulation& simulation)
      : SeveralPorts(simulation,
                     {simulation.platform.workers.size(), simulation.platform.port.most_transfers}),
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
      master.observe_update_end(i, n, dates.update_end_s);
    }
    under_way_.set_last_end(i, transfer.end_s);
    under_way_.end(i);
    simulation_.simulated.keep_precision(dates.update_end_s);
    remove(message);
  }

 private:
  bool any_port_free() const override { return queue_.any_free(); }
  void observe_time(double now_s) override { simulation_.master.observe_time(now_s); }

  TransfersUnderWay under_way_;
  PerWorker<std::int64_t> updates_arrived_;
};

}  // namespace

std::unique_ptr<SimgridClock> two_port_clock(Simulation& simulation) {
  if (!simulation.noise) {
    return std::make_unique<TwoPorts<NominalRecurrence>>(simulation, NominalRecurrence{});
  }
  return std::make_unique<TwoPorts<NoisyRecurrence>>(simulation,
                                                     NoisyRecurrence(*simulation.noise));
}

std::unique_ptr<SimgridClock> many_port_clock(Simulation& simulation) {
  return std::make_unique<ManyPorts>(simulation);
}

}  // namespace starport
