// What the actors of one simulation share, and the simulation itself.
#pragma once

#include "sim/platform/noise.hpp"
#include "sim/platform/per_worker.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/engine/simgrid/simulated_platform.hpp"
#include "sim/star/master_view.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
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

  /// The worker's side of a transfer, by its actor.
  virtual void move(WorkerProcess& worker, const Message& message) = 0;
  /// The transfer is over, and what it held up may start.
  virtual void end(const Message& message, const Dates& dates) = 0;

 protected:
  virtual bool any_port_free() const { return true; }
  virtual void observe_time(double now_s) = 0;

  Simulation& simulation_;
};

/// The clock of the platform's port. The simulation outlives it.
std::unique_ptr<SimgridClock> simgrid_clock(Simulation& simulation);

/// A message for a worker, and what is to be told of it.
struct Assignment {
  Message message;
  PortEvent event;
};

/// What the master and the two actors of one worker share. Control words (the master's messages to
/// come, the worker's requests and progress) pass through it in no time; blocks travel through the
/// network.
struct WorkerProcess {
  int number = 0;
  sg::SemaphorePtr assigned = sg::Semaphore::create(0);  ///< its next transfer may start
  sg::SemaphorePtr progress = sg::Semaphore::create(0);  ///< the awaited update is complete
  sg::SemaphorePtr work = sg::Semaphore::create(0);      ///< an update has been queued
  std::deque<Assignment> assignments;                    ///< transfers to take part in, in turn
  bool enrolled = false;                                 ///< its actors run
  bool requesting = false;       ///< its request has been posted since its last transfer
  std::deque<Assignment> queue;  ///< updates whose data has arrived
  std::int64_t completed = 0;    ///< updates
  std::int64_t awaited = 0;      ///< the update that the communicating actor waits for; 0: none
  bool computer_idle = false;
  bool stopping = false;

  // Under noise.
  std::int64_t transfers = 0;        ///< that it has taken part in, the one under way included
  double transfer_end_s = kUnknown;  ///< when the transfer under way ends if nothing stops it
  bool engaged = false;              ///< a transfer with it has been decided and is not over
  bool ready = false;                ///< it has posted its side of that transfer
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
  void emit(const PortEvent& event) { out.write(std::as_bytes(std::span(&event, 1))); }

  /// Of the master: until a worker has posted a request or ended an update.
  void wait_for_change();
  void signal_change();

  const Platform& platform;
  const Problem& problem;
  Dispatcher& dispatcher;
  FrameWriter& out;
  std::optional<DrawnNoise> noise;
  bool in_step;       ///< whether something may happen during a transfer
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

/// Takes part in the transfers assigned to it, one after the other. The buffers are respected
/// because it does so only once the update that frees them is complete: until then the port is
/// held.
void communicate(Simulation& simulation, WorkerProcess& worker);

/// Computes the updates one at a time, in the order of arrival of their data.
void compute(Simulation& simulation, WorkerProcess& worker);

/// An actor's: slow-downs and stops, each at its date.
void bring_about(Simulation& simulation);

/// On the worker's side of a transfer, which is about to begin.
void begin_noisy_transfer(Simulation& simulation, WorkerProcess& worker, const Message& message);

// Where something may happen during a transfer, the worker posts its side first: were there no
// worker any more, the master would wait for ever.

/// The worker's side.
void take_part_first(Simulation& simulation, WorkerProcess& worker, const Message& message);
/// The master's, once the worker is ready.
void exchange_in_step(Simulation& simulation, WorkerProcess& worker, const Message& message);

}  // namespace starport
