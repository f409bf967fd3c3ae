// The computation of a worker, beside its communication.
#pragma once

#include "sim/kernel/kernel.hpp"

#include <sched.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace starport::mpi {

/// One update, its blocks found in a store that outlives it. Dates are those of the worker's clock.
struct UpdateJob {
  KernelStore* store = nullptr;
  BlockProduct product;
  std::vector<std::pair<BlockPlace, BlockPlace>> additions;  ///< C += late C
  /// Paced: the update starts at max(due, due end of the previous one) and lasts so long at least.
  /// 0: as long as it takes.
  double due_s = 0;
  double duration_s = 0;
};

/// What came of it.
struct UpdateDates {
  double start_s = 0;
  double end_s = 0;
  /// Paced: the end that was aimed at, or the real one when the work itself took longer. The next
  /// update follows this date, so that a late wake-up does not delay all that follow.
  double due_end_s = 0;
};

/// Updates are computed one after the other, in the order in which they are submitted, in another
/// thread; under SMPI, where a rank is one thread, as an activity of SimGrid on its host.
class Computation {
 public:
  Computation();
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;
  ~Computation();

  /// Its thread computes on these cores, if there are any.
  void keep_to(const cpu_set_t& cores);
  void submit(UpdateJob job);
  /// The dates of the next update that has ended and not been told yet, if any. Throws
  /// SimulationError when one has failed.
  std::optional<UpdateDates> poll();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Does it, at once.
inline void compute(const UpdateJob& job) {
  for (const auto& [c, late] : job.additions) job.store->add(c, late);
  if (job.product.rows > 0) job.store->update(job.product);
}

}  // namespace starport::mpi
