// What the actors of one simulation share, and the simulation itself.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/per_worker.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/engine/simgrid/simulated_platform.hpp"
#include "sim/star/master_view.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>

namespace starport {

struct Simulation;
struct WorkerProcess;

/// A clock as port_clock.hpp has it, of the master's actor. Nothing blocks that actor between a
/// look at its ports and waiting for a change, so that it misses none.
class SimgridClock {
 public:
  explicit SimgridClock(Simulation& simulation) : simulation_(simulation) {}
  virtual ~SimgridClock() = default;

  void reach_decision();
  bool wait(const Wait& wait);
  /// Throws SimulationError.
  virtual void carry_out(const Message& message) = 0;
  /// Whether a transfer that has been decided is not over.
  virtual bool under_way() const { return false; }

  /// Moves the blocks of a transfer: the master's actor on one port, else the worker's.
  virtual void move(WorkerProcess& worker, const Message& message) = 0;
  /// The transfer is over, and what it held up may start.
  virtual void end(const Message& message, const Dates& dates) = 0;

 protected:
  virtual bool any_port_free() const { return true; }
  virtual void observe_time(double now_s) = 0;

  Simulation& simulation_;
};

/// The clock of the platform's port. The simulation outlives it.
std::unique_ptr<SimgridClock> make_simgrid_clock(Simulation& simulation);

/// A message for a worker, and what is to be told of it.
struct Assignment {
  Message message;
  SimulatedTransfer event;
};

/// What the master and the actors of one worker share: the one that computes, and on several ports
/// one that communicates. Control words (the master's messages to come, the worker's requests and
/// progress) pass through it in no time; blocks travel through the network.
struct WorkerProcess {
  int number = 0;
  sg::SemaphorePtr assigned =
      sg::Semaphore::create(0);  ///< on several ports: the next one may start
  sg::SemaphorePtr progress = sg::Semaphore::create(0);  ///< the awaited update is complete
  sg::SemaphorePtr work = sg::Semaphore::create(0);      ///< an update has been queued
  std::list<Assignment> assignments;                     ///< transfers to take part in, in turn
  bool enrolled = false;                                 ///< its actors run
  std::list<Assignment> queue;                           ///< updates whose data has arrived
  std::int64_t completed = 0;                            ///< updates
  std::int64_t awaited = 0;  ///< the update that its next transfer waits for; 0: none
  bool computer_idle = false;
  bool stopping = false;

  // Under noise.
  std::int64_t transfers = 0;        ///< that it has taken part in, the one under way included
  double transfer_end_s = kUnknown;  ///< when the transfer under way ends if nothing stops it
  bool in_transfer = false;              ///< a transfer with it has been decided and is not over
  sg::CommPtr transfer;              ///< which began last
  bool computing = false;            ///< the first of its queue
  bool stopped = false;
};

/// One simulation, inside its process. The actors run one at a time, each to its next wait.
struct Simulation {
  /// All outlive it.
  Simulation(const Platform& star, const Problem& product, Dispatcher& decisions,
             const Noise& disturbance, std::size_t limit, FrameWriter& sink);

  /// Gives the worker the message that the dispatcher has just decided. Throws SimulationError
  /// beyond the limit.
  WorkerProcess& assign(const Message& message);
  void emit(const SimulatedTransfer& event) { out.write(std::as_bytes(std::span(&event, 1))); }

  /// Of the master: until a worker has posted a request or ended an update.
  void wait_for_change();
  void signal_change();

  const Platform& platform;
  const Problem& problem;
  Dispatcher& dispatcher;
  FrameWriter& out;
  std::optional<DrawnNoise> noise;
  bool can_change_during_transfer;       ///< whether something may happen during a transfer
  MasterView master;  ///< the requests that the workers have posted
  SimulatedPlatform simulated;
  PerWorker<WorkerProcess> workers;
  std::unique_ptr<SimgridClock> clock;
  std::int64_t updates_in_progress = 0;

 private:
  void enrol(WorkerProcess& worker);

  std::size_t most_transfers_;
  std::size_t transfers_ = 0;
  std::int64_t enrolled_ = 0;
  std::int64_t most_enrolled_;
  bool master_waits_ = false;
  sg::SemaphorePtr change_ = sg::Semaphore::create(0);
};

/// The next transfer assigned to the worker, from its start to its end. It starts only once the
/// update that frees its buffers is complete: until then the port is held. On one port the master
/// does that itself, which spares each worker an actor.
void perform_next_transfer(Simulation& simulation, WorkerProcess& worker);

/// An actor's: all of them, one after the other.
void communicate(Simulation& simulation, WorkerProcess& worker);

/// Computes the updates one at a time, in the order of arrival of their data.
void compute(Simulation& simulation, WorkerProcess& worker);

/// An actor's: slow-downs and stops, each at its date.
void apply_perturbations(Simulation& simulation);

/// Of a transfer that is about to begin.
void prepare_noisy_transfer(Simulation& simulation, WorkerProcess& worker, const Message& message);

}  // namespace starport
