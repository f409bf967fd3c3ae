// One simulation of a star with SimGrid actors, and the state that they share.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform.hpp"
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

/// Clock of the master's actor (its simulated process), as run_dispatcher() (port_clock.hpp) needs
/// it: advances from decision to decision and carries out messages. One implementation per kind of
/// port, made by make_simgrid_clock() and owned by the Simulation, to which it refers. Functions
/// must be called by an actor of the simulation. The actor never blocks between checking its ports
/// and waiting for a change, so that it misses none.
class SimgridClock {
 public:
  /// Refers to `simulation`, which must outlive the clock.
  explicit SimgridClock(Simulation& simulation) : simulation_(simulation) {}
  virtual ~SimgridClock() = default;

  /// Blocks the master's actor, which must call this, until a port is free, and updates the
  /// master's view to the current simulated date: time, free ports and stops of workers.
  void reach_decision();
  /// Blocks the master's actor, which must call this, until a worker ends a transfer or an update
  /// or stops, and returns true: the dispatcher is to be asked again. Ignores Wait::until_s.
  /// Returns false at once if nothing can change any more: no update or transfer is under way and
  /// no stop lies ahead.
  bool wait(const Wait& wait);
  /// Carries out the message that the dispatcher has just decided; it must be valid
  /// (check_decision()). Called by the master's actor. On one port blocks it until the transfer
  /// ends or its worker stops, on several returns at once. Throws MachineError beyond the limit on
  /// transfers, SimulationError beyond the number of actors that SimGrid can create.
  virtual void carry_out(const Message& message) = 0;
  /// Returns true if a transfer that has been decided has not ended; always false on one port.
  virtual bool has_transfer_under_way() const { return false; }

  /// Simulates the transfer of `message`, the first assignment of `worker`, in the calling actor,
  /// the master's on one port, the worker's on several, and blocks it until the transfer ends or
  /// the worker stops (WorkerProcess::stopped).
  virtual void move(WorkerProcess& worker, const Message& message) = 0;
  /// Records the end of a transfer that was not lost, with its dates (start_s and end_s) in
  /// simulated seconds, in the master's view and starts the transfers that waited for its port.
  /// Does not block. Call it once per transfer, at its end.
  virtual void end(const Message& message, const Dates& dates) = 0;

 protected:
  virtual bool is_any_port_free() const { return true; }
  virtual void observe_time(double now_s) = 0;

  Simulation& simulation_;
};

/// Returns a new clock, never null, for the kind of port of the platform. `simulation` must outlive
/// it, and its members before `clock` must have been constructed (its constructor calls this).
std::unique_ptr<SimgridClock> make_simgrid_clock(Simulation& simulation);

/// A message that was decided for a worker, with the traced transfer to report to the parent
/// process once the transfer and the update that it allows have ended. Made by
/// Simulation::assign().
struct Assignment {
  /// Copy of the message: counts of blocks and of block updates.
  Message message;
  /// Traced transfer of the message with the dates known so far, and its position in the order of
  /// decisions, from 0.
  SimulatedTransfer event;
};

/// State of one worker in a Simulation, which owns it. Shared by the master's actor and the actors
/// of the worker: one that computes and, on several ports, one that communicates. Control
/// information (assignments, requests, progress) is exchanged through it in no simulated time;
/// blocks travel through the simulated network. Needs no locks: one actor runs at a time.
struct WorkerProcess {
  /// Index of the worker on the platform, from 0.
  int number = 0;
  /// Released when the next transfer may start (several ports only), or none follows.
  sg::SemaphorePtr assigned = sg::Semaphore::create(0);
  /// Released when the update that the next transfer waits for has completed, or the worker stops.
  sg::SemaphorePtr progress = sg::Semaphore::create(0);
  /// Released when an update has been queued while the computing actor was idle, or none follows.
  sg::SemaphorePtr work = sg::Semaphore::create(0);
  /// Transfers decided for the worker that have not ended, in order of decisions; one that was lost
  /// when the worker stopped stays.
  std::list<Assignment> assignments;
  /// True once the actors of the worker have been created, at its first transfer.
  bool enrolled = false;
  /// Updates whose data have arrived and that have not ended, in order; the first one may be under
  /// way.
  std::list<Assignment> queue;
  /// Number of updates completed so far.
  std::int64_t completed = 0;
  /// Number, from 1, of the update that its next transfer waits for now; 0: none.
  std::int64_t awaited = 0;
  /// True while the computing actor waits for `work`.
  bool computer_idle = false;
  /// True once the schedule is complete and its transfers have ended, so that the actors end when
  /// they have no more work.
  bool stopping = false;

  // Used under noise only.
  /// Number of transfers started with the worker so far. Used under noise only.
  std::int64_t transfers = 0;
  /// Simulated date in seconds at which the transfer under way ends unless the worker stops;
  /// kUnknown if none is under way. Used under noise only.
  double transfer_end_s = kUnknown;
  /// True if a transfer with the worker has been decided and has not ended; set on one port only.
  /// Used under noise only.
  bool in_transfer = false;
  /// SimGrid's activity of the last transfer started; null before the first one.
  sg::CommPtr transfer;
  /// True while the first update of `queue` is being computed.
  bool computing = false;
  /// True once the worker has stopped for good (noise).
  bool stopped = false;
};

/// One simulation of a schedule on a star, in a process of its own: the state that its actors
/// (SimGrid's simulated processes) share. The child process of SimgridEngine makes one. SimGrid
/// runs one actor at a time until its next blocking call, so that the shared state needs no locks.
struct Simulation {
  /// Creates SimGrid's engine, hosts and links, but no actors; once per process. All references but
  /// `disturbance` must outlive the simulation. `limit` is the largest number of transfers. Throws
  /// SimulationError if the noise is not modelled for the port of `star`; the workers that it names
  /// must exist (not checked).
  Simulation(const Platform& star, const Problem& product, Dispatcher& decisions,
             const Noise& disturbance, std::size_t limit, FrameWriter& sink);

  /// Appends the message that the dispatcher has just decided, with its transfer, to its worker's
  /// assignments, creates the worker's actors if this is its first, and returns the worker, valid
  /// as long as the simulation. The worker must exist (not checked). Call it once per decision,
  /// before the next one. Throws MachineError beyond the limit of transfers, SimulationError if the
  /// process cannot have more actors.
  WorkerProcess& assign(const Message& message);
  /// Reports a transfer with its final dates to the parent process, buffered (see
  /// FrameWriter::flush()). May block; exits this process if the parent no longer reads.
  void emit(const SimulatedTransfer& event) { out.write(std::as_bytes(std::span(&event, 1))); }

  /// Blocks the calling actor, which must be the master's, until another actor calls
  /// signal_change(): when a worker ends a transfer or an update or stops. Earlier calls of
  /// signal_change() do not count.
  void wait_for_change();
  /// Wakes the master's actor if it is in wait_for_change(); else does nothing.
  void signal_change();

  /// The platform to simulate.
  const Platform& platform;
  /// The matrix product.
  const Problem& problem;
  /// Decides the messages; used by the master's actor only.
  Dispatcher& dispatcher;
  /// Pipe to the parent process, to which transfers are reported.
  FrameWriter& out;
  /// The noise of the run; nullopt: none.
  std::optional<DrawnNoise> noise;
  /// True if the noise has stops or slow-downs, so that a transfer under way may change.
  bool can_change_during_transfer;
  /// State of the master on which the dispatcher decides, as the requests of the workers have
  /// updated it.
  MasterView master;
  /// Hosts and links in SimGrid, and the clock of the simulation.
  SimulatedPlatform simulated;
  /// State of each worker, by index from 0.
  PerWorker<WorkerProcess> workers;
  /// Clock of the master's actor, for the kind of port of the platform; never null.
  std::unique_ptr<SimgridClock> clock;
  /// Number of updates that decided messages allow and that have neither ended nor been lost.
  std::int64_t updates_in_progress = 0;

 private:
  void enrol(WorkerProcess& worker);

  std::size_t max_transfers_;
  std::size_t transfers_ = 0;
  std::int64_t enrolled_ = 0;
  std::int64_t max_enrolled_;
  bool master_waits_ = false;
  sg::SemaphorePtr change_ = sg::Semaphore::create(0);
};

/// Performs the worker's next assigned transfer from start to end in the calling actor, which it
/// blocks, then queues its update or, without one, reports the transfer. Waits first, holding the
/// port, until the update that the transfer waits for is complete. Returns early if the worker
/// stops; the assignment then stays. The worker must have an assignment (not checked). On one port
/// the master's actor calls this, which saves an actor per worker.
void perform_next_transfer(Simulation& simulation, WorkerProcess& worker);

/// Performs the worker's assigned transfers one after the other, each when WorkerProcess::assigned
/// is released, until it is released while the worker is `stopping`. Body of a worker's
/// communicating actor (several ports); both arguments must outlive it.
void communicate(Simulation& simulation, WorkerProcess& worker);

/// Computes the worker's updates (WorkerProcess::queue) one at a time, in the order in which their
/// data arrive, and reports the transfer of each at its end, until the worker is `stopping` and
/// none is left. Body of a worker's computing actor; both arguments must outlive it.
void compute(Simulation& simulation, WorkerProcess& worker);

/// Applies the slow-downs and stops of the noise at their simulated dates; returns after the last
/// one. A stop reports the worker's lost transfers and updates and ends its actors. Body of a
/// daemon actor on the master's host, created before the master's actor; simulation.noise must be
/// set (not checked). `simulation` must outlive the actor.
void apply_perturbations(Simulation& simulation);

/// Prepares the transfer of `message`, the worker's first assignment, which is about to start,
/// under noise: applies the noise's factor to the worker's link, records the start, and stores the
/// simulated date of the end in WorkerProcess::transfer_end_s. Must be called once, right before
/// the transfer; simulation.noise must be set (not checked).
void prepare_noisy_transfer(Simulation& simulation, WorkerProcess& worker, const Message& message);

}  // namespace starport
