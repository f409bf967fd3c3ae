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
/// it: lets simulated time pass from one decision of the dispatcher to the next and carries out the
/// messages (transfers) that it decides. One implementation per kind of the master's port, made by
/// make_simgrid_clock() and owned by the Simulation, to which it refers. Functions must be called
/// by an actor of the simulation. Implementations of is_any_port_free() and observe_time() must not
/// block: a change that is signalled meanwhile would be missed.
class SimgridClock {
 public:
  /// Makes a clock that refers to `simulation`, which must outlive it.
  explicit SimgridClock(Simulation& simulation) : simulation_(simulation) {}
  virtual ~SimgridClock() = default;

  /// Blocks the master's actor, which must call this, until a port of the master is free, so that
  /// the dispatcher can decide the next transfer; sets the date, the free ports and the stopped
  /// workers in the master's view (Simulation::master) to those of the current simulated date.
  void reach_decision();
  /// Blocks the master's actor, which must call this, until a worker ends a transfer or an update
  /// or stops, or the date wait.until_s (later than now, not checked) is reached, and returns true:
  /// the dispatcher, which had decided to wait, is to be asked again. Returns false at once if
  /// nothing can change any more: wait.until_s is kUnknown, no update or transfer is under way and
  /// no worker will stop (noise).
  bool wait(const Wait& wait);
  /// Carries out the transfer that the dispatcher has just decided; it must be valid
  /// (check_decision()). Called by the master's actor. With one port, blocks it until the transfer
  /// ends or its worker stops; with several, returns at once. Throws MachineError beyond the limit
  /// on transfers of a run, SimulationError beyond the number of actors that SimGrid can create.
  virtual void carry_out(const Message& message) = 0;
  /// Returns true if a transfer that the dispatcher decided has not ended; always false for a
  /// one-port master, where decisions are made between transfers.
  virtual bool has_transfer_under_way() const { return false; }

  /// Simulates the transfer of `message`, the first of `worker.assignments`, in the calling actor
  /// (the master's for a one-port master, otherwise the worker's) and blocks it until the transfer
  /// ends or the worker stops (WorkerProcess::stopped). Called by perform_next_transfer().
  virtual void move(WorkerProcess& worker, const Message& message) = 0;
  /// Records in the master's view that the transfer of `message` took place from dates.start_s to
  /// dates.end_s simulated seconds, and when the update that it allows will end (on two ports
  /// carry_out() has recorded both), and starts the transfers that waited for its port or worker.
  /// Does not block. Call it once per transfer, at its end; not for a lost one.
  virtual void end(const Message& message, const Dates& dates) = 0;

 protected:
  virtual bool is_any_port_free() const { return true; }
  virtual void observe_time(double now_s) = 0;

  Simulation& simulation_;
};

/// Returns a new clock, never null, for the kind of port (one, two or several) of the master of
/// `simulation.platform`. `simulation` must outlive it, and its members before `clock` must have
/// been constructed (its constructor calls this).
std::unique_ptr<SimgridClock> make_simgrid_clock(Simulation& simulation);

/// A transfer that the dispatcher decided for a worker, with what is to be reported of it to the
/// parent process once it and the update that it allows have ended. Made by Simulation::assign();
/// owns its data.
struct Assignment {
  /// Copy of the message that the dispatcher decided for this worker: the direction and the number
  /// of blocks of the transfer, and the size of the update that it allows.
  Message message;
  /// The transfer of the message with its dates, in simulated seconds (those not known yet have no
  /// meaning), and its index from 0 in the order of the dispatcher's decisions.
  SimulatedTransfer event;
};

/// State of one worker in a Simulation, which owns it. Shared by the master's actor and the actors
/// of the worker: one that computes and, for a master with several ports, one that communicates.
/// Control information (assignments, requests, progress) is exchanged through it in no simulated
/// time; blocks travel through the simulated network. Needs no locks: one actor runs at a time.
struct WorkerProcess {
  /// Index of the worker on the platform, from 0.
  int number = 0;
  /// Semaphore on which the worker's communicating actor waits (masters with several ports only);
  /// released when its next transfer may start or none follows.
  sg::SemaphorePtr assigned = sg::Semaphore::create(0);
  /// Semaphore on which the actor of the worker's next transfer waits for the update that must
  /// precede it; released when that update has completed or the worker stops.
  sg::SemaphorePtr progress = sg::Semaphore::create(0);
  /// Semaphore on which the worker's computing actor waits while idle; released when an update has
  /// been queued for it or none follows.
  sg::SemaphorePtr work = sg::Semaphore::create(0);
  /// Transfers that the dispatcher decided for the worker and that have not ended, in the order of
  /// decisions; one that was lost when the worker stopped stays.
  std::list<Assignment> assignments;
  /// True once the actors (simulated processes) of the worker have been created, at its first
  /// transfer.
  bool enrolled = false;
  /// Updates of C whose data have arrived at the worker and that have not ended, each as the
  /// transfer that allows it, in the order of arrival; the first one may be under way.
  std::list<Assignment> queue;
  /// Number of updates that the worker has completed in the run so far, counted as in
  /// Message::after_update: one per message that allows an update, not per block update.
  std::int64_t completed = 0;
  /// Number, from 1, of the worker's update (one per message that allows an update) whose end its
  /// next transfer waits for now; 0: none.
  std::int64_t awaited = 0;
  /// True while the worker's computing actor has no update to compute and waits on the semaphore
  /// `work`.
  bool computer_idle = false;
  /// True once the schedule is complete and its transfers have ended, so that the worker's actors
  /// (simulated processes) end when they have no more work.
  bool stopping = false;

  // Used under noise only.
  /// Number of transfers, in both directions, started with the worker so far. Counted under noise
  /// only.
  std::int64_t transfers = 0;
  /// Simulated date in seconds at which the worker's transfer under way will end unless the worker
  /// stops; kUnknown if none is under way. Set under noise only.
  double transfer_end_s = kUnknown;
  /// True if a transfer with the worker has been decided and has not ended; set for one-port
  /// masters only. Used under noise only.
  bool in_transfer = false;
  /// SimGrid's communication of the last transfer started with the worker; null before the first
  /// one.
  sg::CommPtr transfer;
  /// True while the worker's computing actor computes the first update of `queue`. If the worker
  /// stops (noise), this tells that the update had begun, so that its start date is kept in the
  /// report of its loss; nothing else depends on it.
  bool computing = false;
  /// True once the worker has stopped for good, as the noise of the run demands at some date.
  bool stopped = false;
};

/// One simulation of a schedule on a star platform (a master with one link to each worker), in a
/// process of its own: the state that its actors (SimGrid's simulated processes) share. The child
/// process of SimgridEngine makes one. SimGrid runs one actor at a time until its next blocking
/// call, so that the shared state needs no locks.
struct Simulation {
  /// Creates SimGrid's engine, hosts and links, but no actors; once per process. All references but
  /// `disturbance` must outlive the simulation. `decisions` decides the transfers of the product.
  /// `limit` is the largest number of transfers of the run, beyond which assign() throws
  /// MachineError; `sink`, a pipe to the parent process, gets each transfer with its dates. Throws
  /// SimulationError if the noise `disturbance` is not modelled for the kind of port of `star` or
  /// has Variation::measured; the workers that it names must exist (not checked: undefined
  /// behaviour).
  Simulation(const Platform& star, const Problem& product, Dispatcher& decisions,
             const Noise& disturbance, std::size_t limit, FrameWriter& sink);

  /// Appends the message that the dispatcher has just decided, with its transfer, to
  /// WorkerProcess::assignments of its worker, creates the worker's actors if this is its first,
  /// and returns the worker, valid as long as the simulation. The worker must exist (not checked:
  /// undefined behaviour). Call it once per decision, before the next one. Throws MachineError
  /// beyond the limit of the constructor on transfers, SimulationError if the process cannot have
  /// more actors.
  WorkerProcess& assign(const Message& message);
  /// Reports a transfer, with its final dates and its index (from 0) in the order of decisions, to
  /// the parent process; call it once per transfer. Buffered (see FrameWriter::flush()). May block;
  /// exits this process if the parent no longer reads.
  void emit(const SimulatedTransfer& event) { out.write(std::as_bytes(std::span(&event, 1))); }

  /// Blocks the calling actor, which must be the master's, until another actor calls
  /// signal_change() (a worker ends a transfer or an update or stops) or until the simulated date
  /// `until_s` in seconds (kUnknown: no date), maybe a rounding error later. Calls of
  /// signal_change() before the wait do not count, except that one at the very date `until_s` at
  /// which the last wait ended may end this one at once.
  void wait_for_change(double until_s = kUnknown);
  /// Wakes the master's actor, at the end of a transfer or an update or a stop of a worker, if it
  /// is in wait_for_change(); else does nothing.
  void signal_change();

  /// The star platform to simulate, given to the constructor; must outlive the simulation.
  const Platform& platform;
  /// Sizes of the matrix product to simulate, given to the constructor; must outlive the
  /// simulation.
  const Problem& problem;
  /// Object of the heuristic that decides the next transfer whenever a port is free; given to the
  /// constructor, must outlive the simulation; used by the master's actor only.
  Dispatcher& dispatcher;
  /// Pipe to the parent process, to which transfers are reported; given to the constructor, must
  /// outlive the simulation.
  FrameWriter& out;
  /// The noise of the run (random durations, slow-downs and stops of workers); nullopt: none.
  std::optional<DrawnNoise> noise;
  /// True if the noise has stops or slow-downs of workers, so that the speed of a transfer under
  /// way may change or it may be lost.
  bool can_change_during_transfer;
  /// State of the run as the master knows it (date, free ports, known ends of transfers and
  /// updates), on which the dispatcher decides.
  MasterView master;
  /// Hosts and links of the platform in SimGrid, and SimGrid's clock.
  SimulatedPlatform simulated;
  /// State of each worker of the platform in the simulation, by index from 0.
  PerWorker<WorkerProcess> workers;
  /// Clock by which the master's actor waits for decisions and carries out transfers, for the kind
  /// of the master's port; never null.
  std::unique_ptr<SimgridClock> clock;
  /// Number of decided transfers, of all workers together, that allow an update which has neither
  /// ended nor been lost.
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

/// Performs the first of `worker.assignments` (transfers decided for it) from start to end in the
/// calling actor, which it blocks, then queues its update or, without one, reports the transfer to
/// the parent process. Waits first, holding the port, until the update that the transfer waits for
/// is complete. Returns early if the worker stops; the assignment then stays. There must be one in
/// worker.assignments (not checked: undefined behaviour). Called by communicate(), and by the
/// master's actor if the master has one port.
void perform_next_transfer(Simulation& simulation, WorkerProcess& worker);

/// Performs the transfers decided for the worker one after the other, each when the semaphore
/// WorkerProcess::assigned is released, until it is released while the worker is `stopping`. Body
/// of a worker's communicating actor, for masters with several ports; both arguments must outlive
/// it.
void communicate(Simulation& simulation, WorkerProcess& worker);

/// Computes the worker's updates (WorkerProcess::queue) one at a time, in the order in which their
/// data arrive, and at the end of each reports the transfer that allowed it to the parent process,
/// until WorkerProcess::stopping is true and none is left. Body of a worker's computing actor; both
/// arguments must outlive it.
void compute(Simulation& simulation, WorkerProcess& worker);

/// Applies the slow-downs and stops of workers in the noise at their simulated dates; returns after
/// the last one. At a stop, it reports the worker's lost transfer and updates to the parent process
/// and ends the worker's actors; what ends at that very date is not lost. Body of a daemon actor
/// (make_daemon()) on the master's host, created before the master's actor; simulation.noise must
/// be set (not checked: undefined behaviour). `simulation` must outlive the actor.
void apply_perturbations(Simulation& simulation);

/// Prepares the transfer of `message`, the first of `worker.assignments`, which is about to start,
/// under noise: applies the random factor on its duration to the worker's link, records the start,
/// and stores the simulated date of the end in WorkerProcess::transfer_end_s. Must be called once,
/// right before the transfer; simulation.noise must be set (not checked: undefined behaviour).
void prepare_noisy_transfer(Simulation& simulation, WorkerProcess& worker, const Message& message);

}  // namespace starport
