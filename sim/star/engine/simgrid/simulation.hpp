// What the actors of one simulation share, and the simulation itself.
#pragma once

#include "sim/platform/noise.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/engine/isolated_run.hpp"
#include "sim/star/engine/simgrid/simulated_star.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/validator/port_queue.hpp"

#include <simgrid/s4u.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace starport {

/// A message, and what is to be told of it.
struct Order {
  Message message;
  PortEvent event;
};

/// What the master and the two actors of one worker share. Control words (the master's orders, the
/// worker's requests and progress) pass through it in no time; blocks travel through the network.
struct WorkerProcess {
  int number = 0;
  sg::SemaphorePtr order = sg::Semaphore::create(0);     ///< the master has posted an order
  sg::SemaphorePtr progress = sg::Semaphore::create(0);  ///< the awaited update is complete
  sg::SemaphorePtr work = sg::Semaphore::create(0);      ///< an update has been queued
  std::deque<Order> orders;                              ///< what it is to take part in, in turn
  bool enrolled = false;                                 ///< its actors run
  bool requesting = false;     ///< its request has been posted since its last transfer
  std::deque<Order> queue;     ///< updates whose data has arrived
  std::int64_t completed = 0;  ///< updates
  std::int64_t awaited = 0;    ///< the update that the communicating actor waits for; 0: none
  bool computer_idle = false;
  bool stopping = false;

  // Under noise.
  std::int64_t transfers = 0;        ///< that it has taken part in, the one under way included
  double transfer_end_s = kUnknown;  ///< when the transfer under way ends if nothing stops it
  bool engaged = false;              ///< a transfer with it has been ordered and is not over
  bool ready = false;                ///< it has posted its side of that transfer
  bool computing = false;            ///< the first of its queue
  bool stopped = false;
};

/// One simulation, inside its process. The actors run one at a time, each to its next wait.
struct Simulation {
  /// All outlive it. To be made after SimGrid's Engine.
  Simulation(const Platform& on, const Problem& of, Dispatcher& by, const Noise& under,
             std::size_t most, FrameWriter& to);

  bool one_port() const { return platform.port.kind == Port::Kind::one; }
  WorkerProcess& worker(int i) { return workers[static_cast<std::size_t>(i)]; }
  const Worker& figures(int i) const { return platform.workers[static_cast<std::size_t>(i)]; }

  /// Gives the worker the message that the dispatcher has just decided.
  WorkerProcess& give_order(const Message& message, std::size_t index);
  void emit(const PortEvent& event) { out.write(std::as_bytes(std::span(&event, 1))); }

  /// Of the master: until a worker has posted a request or ended an update.
  void wait_for_change();
  void signal_change();

  const Platform& platform;
  const Problem& problem;
  Dispatcher& dispatcher;
  std::size_t most_transfers;
  FrameWriter& out;
  std::optional<NoiseClock> noise;
  bool in_step;     ///< whether something may happen during a transfer
  MasterView star;  ///< the requests that the workers have posted: what the master knows
  SimulatedStar simulated;
  PortQueue ports;  ///< of a master that can be in several transfers
  std::deque<WorkerProcess> workers;
  std::int64_t updates_in_progress = 0;

 private:
  void enrol(WorkerProcess& worker);

  std::int64_t enrolled_ = 0;
  std::int64_t most_enrolled_;
  bool master_waits_ = false;
  sg::SemaphorePtr change_ = sg::Semaphore::create(0);
};

}  // namespace starport
