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

/// One update C += A.B of a worker. Dates are seconds on the worker's clock.
struct UpdateJob {
  KernelStore* store = nullptr;  ///< contains the blocks; must outlive the job
  BlockProduct product;
  /// Pairs (c, late c): each late block is added to the accumulated block c before the product.
  std::vector<std::pair<BlockPlace, BlockPlace>> additions;
  /// Emulated: the update starts at `due_s`, or at the due end of the previous update if that is
  /// later, and lasts at least `duration_s`. If `duration_s` is 0, it starts at once.
  double due_s = 0;
  double duration_s = 0;
};

/// The dates of an update that has ended, in seconds on the worker's clock.
struct UpdateDates {
  double start_s = 0;
  double end_s = 0;
  /// Emulated: the intended end, or the real end if the computation took longer. The next update
  /// follows this date, so that late wake-ups do not accumulate.
  double due_end_s = 0;
};

/// Computes updates one after the other, in the order of their submission: in a thread of its own,
/// or under SMPI, where a rank is one thread, as an activity of SimGrid on the rank's host. The
/// destructor waits until all submitted updates have been computed (under SMPI it drops them).
class UpdateExecutor {
 public:
  UpdateExecutor();
  UpdateExecutor(const UpdateExecutor&) = delete;
  UpdateExecutor& operator=(const UpdateExecutor&) = delete;
  ~UpdateExecutor();

  /// Pins the computing thread to these cores; does nothing if there are none.
  void pin_to(const cpu_set_t& cores);
  /// Adds an update to the queue.
  void submit(UpdateJob job);
  /// Returns the dates of the next update that has ended, in the order of submission; nullopt if
  /// there is none. Throws SimulationError if an update has failed.
  std::optional<UpdateDates> poll();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Computes an update in the calling thread.
inline void run_update(const UpdateJob& job) {
  for (const auto& [c, late] : job.additions) job.store->add(c, late);
  if (job.product.rows > 0) job.store->update(job.product);
}

}  // namespace starport::mpi
