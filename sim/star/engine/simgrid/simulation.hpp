// One simulation of a star with SimGrid actors, and the state that they share.
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

/// Clock (port_clock.hpp) of the master's actor, one implementation per kind of port. The actor
/// never blocks between checking its ports and waiting for a change, so that it misses none.
class SimgridClock {
 public:
  explicit SimgridClock(Simulation& simulation) : simulation_(simulation) {}
  virtual ~SimgridClock() = default;

  void reach_decision();
  bool wait(const Wait& wait);
  /// Carries out a message that the dispatcher decided. On one port returns at the end of its
  /// transfer, on several at once. Throws SimulationError if a limit is exceeded.
  virtual void carry_out(const Message& message) = 0;
  /// Returns true if a transfer that has been decided has not ended.
  virtual bool has_transfer_under_way() const { return false; }

  /// Simulates the transfer of `message` in the calling actor: the master's on one port, the
  /// worker's on several.
  virtual void move(WorkerProcess& worker, const Message& message) = 0;
  /// Records the end of a transfer and starts those that waited for its port.
  virtual void end(const Message& message, const Dates& dates) = 0;

 protected:
  virtual bool is_any_port_free() const { return true; }
  virtual void observe_time(double now_s) = 0;

  Simulation& simulation_;
};

/// Returns a clock for the kind of port of the platform. The simulation must outlive it.
std::unique_ptr<SimgridClock> make_simgrid_clock(Simulation& simulation);

/// A message for a worker with the traced transfer to report once it has been carried out.
struct Assignment {
  Message message;
  SimulatedTransfer event;
};

/// State shared by the master's actor and the actors of one worker: one that computes and, on
/// several ports, one that communicates. Control information (assignments, requests, progress) is
/// exchanged through it in no simulated time; blocks travel through the simulated network.
struct WorkerProcess {
  int number = 0;
  sg::SemaphorePtr assigned =
      sg::Semaphore::create(0);  ///< several ports: the next transfer may start
  sg::SemaphorePtr progress = sg::Semaphore::create(0);  ///< the awaited update has completed
  sg::SemaphorePtr work = sg::Semaphore::create(0);      ///< an update has been queued
  std::list<Assignment> assignments;                     ///< transfers to take part in, in order
  bool enrolled = false;                                 ///< its actors have been created
  std::list<Assignment> queue;                           ///< updates whose data has arrived
  std::int64_t completed = 0;                            ///< number of completed updates
  std::int64_t awaited = 0;  ///< update that its next transfer waits for; 0: none
  bool computer_idle = false;
  bool stopping = false;

  // Used under noise only.
  std::int64_t transfers = 0;        ///< number of transfers started with it
  double transfer_end_s = kUnknown;  ///< end of the transfer under way unless the worker stops
  bool in_transfer = false;          ///< a transfer with it has been decided and has not ended
  sg::CommPtr transfer;              ///< the last transfer started
  bool computing = false;            ///< the first update of its queue is being computed
  bool stopped = false;
};

/// One simulation, in a process of its own. SimGrid runs one actor at a time until its next
/// blocking call, so that the shared state needs no locks.
struct Simulation {
  /// All references must outlive the simulation. `limit` is the largest number of transfers.
  Simulation(const Platform& star, const Problem& product, Dispatcher& decisions,
             const Noise& disturbance, std::size_t limit, FrameWriter& sink);

  /// Appends the message that the dispatcher has just decided to its worker's assignments, and
  /// creates the worker's actors if this is its first. Throws MachineError beyond the limit of
  /// transfers.
  WorkerProcess& assign(const Message& message);
  /// Reports a transfer to the parent process.
  void emit(const SimulatedTransfer& event) { out.write(std::as_bytes(std::span(&event, 1))); }

  /// Blocks the master's actor until a worker posts a request or ends an update.
  void wait_for_change();
  /// Wakes the master's actor if it is in wait_for_change().
  void signal_change();

  const Platform& platform;
  const Problem& problem;
  Dispatcher& dispatcher;
  FrameWriter& out;
  std::optional<DrawnNoise> noise;
  bool can_change_during_transfer;  ///< the noise has stops or slow-downs
  MasterView master;                ///< as the workers' requests have updated it
  SimulatedPlatform simulated;
  PerWorker<WorkerProcess> workers;
  std::unique_ptr<SimgridClock> clock;
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

/// Performs the worker's next assigned transfer from start to end in the calling actor. Holds the
/// port until the update that the transfer waits for is complete. On one port the master's actor
/// calls this, which saves an actor per worker.
void perform_next_transfer(Simulation& simulation, WorkerProcess& worker);

/// Body of a worker's communicating actor: performs its assigned transfers one after the other.
void communicate(Simulation& simulation, WorkerProcess& worker);

/// Body of a worker's computing actor: computes updates one at a time, in the order in which their
/// data arrive.
void compute(Simulation& simulation, WorkerProcess& worker);

/// Body of the actor that applies slow-downs and stops of the noise at their dates.
void apply_perturbations(Simulation& simulation);

/// Applies the noise's factor of a transfer that is about to start to the worker's link, and
/// computes the end of the transfer. Must be called under noise, right before the transfer.
void prepare_noisy_transfer(Simulation& simulation, WorkerProcess& worker, const Message& message);

}  // namespace starport
