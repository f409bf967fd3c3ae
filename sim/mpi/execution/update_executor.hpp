// Computes the updates of a worker in the background while it communicates.
#pragma once

#include "sim/kernel/kernel.hpp"

#include <sched.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace starport::mpi {

/// One update C += A.B that a worker is to compute: the places of its blocks in the worker's
/// memory, and in emulated runs (prolonged to the platform's durations) when it may start and how
/// long it must last. Passed to UpdateExecutor::submit(). Dates are seconds on the worker's clock
/// (monotonic_time_s()).
struct UpdateJob {
  /// Places, in the worker's memory (store of the executor), of the blocks of A, B and C to
  /// multiply. If product.rows is 0, nothing is multiplied, but `additions` are still computed.
  BlockProduct product;
  /// Pairs (c, late c) of places in the worker's memory: each late block of C (one that arrived
  /// after updates of it had been accumulated from zero) is added to the accumulated block c before
  /// the product.
  std::vector<std::pair<BlockPlace, BlockPlace>> additions;
  /// In emulated runs (prolonged to the platform's durations): date, in seconds on the worker's
  /// clock, from which the update may start; it starts at the due end of the previous update if
  /// that is later. Ignored if `duration_s` is 0.
  double due_s = 0;
  /// In emulated runs (prolonged to the platform's durations): least seconds from the intended
  /// start of the update (`due_s` or the due end of the previous one) to its end. 0: the update
  /// starts at once and lasts as long as the computation, or as the environment variable
  /// STARPORT_UPDATE_TIME (least seconds of a block update) demands.
  double duration_s = 0;
};

/// The dates of an update that has ended, in seconds on the worker's clock (monotonic_time_s()), as
/// UpdateExecutor::poll() returns them: its start, its end, and in emulated runs (prolonged to the
/// platform's durations) its intended end.
struct UpdateDates {
  /// Start of the computation of the update, in seconds on the worker's clock.
  double start_s = 0;
  /// End of the update, in seconds on the worker's clock, including the wait that prolongs it in
  /// emulated runs or to the least duration of the environment variable STARPORT_UPDATE_TIME.
  double end_s = 0;
  /// Date in seconds on the worker's clock (monotonic_time_s()). Emulated runs: the intended end of
  /// the update, or the real end if the computation took longer. The next update follows this date,
  /// so that late wake-ups do not accumulate. Otherwise equal to `end_s`.
  double due_end_s = 0;
};

/// Executor of the updates C += A.B of a worker, one after the other in the order of their
/// submission: in a thread of its own, or under SMPI, where a rank is one thread, as an activity of
/// SimGrid on the rank's host. Except under SMPI, an update of n block updates lasts at least n
/// times the seconds in the environment variable STARPORT_UPDATE_TIME, if that is set. To have all
/// updates computed, call poll() until it has returned the dates of each: the destructor drops
/// those that have not been started.
class UpdateExecutor {
 public:
  /// Starts the computing thread, which may run on the same cores as the calling thread until
  /// pin_to(), and computes on the blocks in `store`, the worker's memory. The store and a
  /// Communicator must exist and outlive the executor. Throws std::system_error if the system
  /// cannot start a thread.
  explicit UpdateExecutor(KernelStore& store);
  UpdateExecutor(const UpdateExecutor&) = delete;
  UpdateExecutor& operator=(const UpdateExecutor&) = delete;
  /// Ends the computing thread: blocks until the update that is being computed, if any, has ended,
  /// and drops those in the queue. Under SMPI (SimGrid's simulator of MPI) it ends at once.
  ~UpdateExecutor();

  /// Pins the computing thread to `cores`. Does nothing, without an error, if they are empty, if
  /// the system refuses, or under SMPI (SimGrid's simulator of MPI).
  void pin_to(const cpu_set_t& cores);
  /// Adds an update to the queue and returns at once; `job` is copied. The blocks of the job must
  /// not be accessed until poll() has returned the dates of the update. After a failed update
  /// nothing is computed any more. Under SMPI (SimGrid's simulator of MPI) it computes the result
  /// before it returns, and throws SimulationError if that fails; due dates and durations are
  /// ignored.
  void submit(UpdateJob job);
  /// Returns the dates of the next update that has ended, in the order of submission, each once;
  /// nullopt at once if there is none. Once an update has failed, or an environment variable of the
  /// computing thread is wrong (STARPORT_COMPUTING_GROUP, STARPORT_UPDATE_TIME), every call throws
  /// SimulationError, and the dates of earlier updates that were not returned are lost. Under SMPI
  /// (SimGrid's simulator of MPI), where submit() throws instead, it never throws.
  std::optional<UpdateDates> poll();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace starport::mpi
