// Adaptive: a demand-driven heuristic that uses the speeds observed during the run instead of those
// of the platform file.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/star/dispatcher.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace starport {

/// The last five numbers that were added, in any unit, and their median: smooths measured values
/// during a run. A plain value.
class MedianOfLast {
 public:
  /// Adds a value to the list; removes the oldest if there are already five.
  void add(double value);
  /// Returns the median of the values in the list, the last five added (of an even number, the
  /// larger middle one); 1 if no value has been added.
  double median() const;
  /// Returns true if the list is empty, i.e. no value has been added.
  bool empty() const { return last_.empty(); }

 private:
  std::deque<double> last_;
};

/// Slow-down of each worker's transfers and updates observed during a run: observed duration /
/// nominal duration by the platform file (1: as stated, 2: twice as slow), as the median of the
/// last five that have ended. Owned by a dispatcher, which at each decision calls observe(),
/// decides, and calls record_decision() if it sends. For a master with one port (one transfer at a
/// time). Keeps a reference to the problem (the product), which must outlive it.
class ObservedPace {
 public:
  /// Starts without observations of any worker of the platform. The problem (the matrix product) is
  /// kept by reference and must outlive this object; the platform need not.
  ObservedPace(const Platform& platform, const Problem& problem)
      : problem_(problem), workers_(platform.workers.size()) {}

  /// Records the transfers and updates that have ended by star.now_s(). `star` must be the master's
  /// view of the one run observed, and is not kept. Must be called once before each decision of the
  /// dispatcher; otherwise transfers are missed.
  void observe(const MasterView& star);
  /// Records that the dispatcher has decided at star.now_s() to send `message`, in either
  /// direction; the next observe() measures its transfer, from now or, if later, from the end of
  /// the update that it waits for. Copies `message`. Must be called once after each decision that
  /// sends a message; a second call before observe() replaces the first.
  void record_decision(const MasterView& star, const Message& message);

  /// Returns the observed / nominal duration of the transfers with a worker (1: as stated in the
  /// platform file), the median of the last five; 1 if none has been observed. `worker` is an index
  /// from 0; undefined behaviour if the platform has no such worker.
  double transfer_slowdown(int worker) const { return workers_[worker].transfers.median(); }
  /// Returns the observed / nominal duration of the updates of a worker (1: as stated in the
  /// platform file), the median of the last five; 1 if none has been observed. `worker` is an index
  /// from 0; undefined behaviour if the platform has no such worker.
  double update_slowdown(int worker) const { return workers_[worker].updates.median(); }
  /// Returns the number of updates that, at the last observe(), a worker had received the data for
  /// but had not ended; those lost because it stopped for good (noise) remain counted. `worker` is
  /// an index from 0; undefined behaviour if the platform has no such worker.
  std::int64_t updates_under_way(int worker) const { return std::ssize(workers_[worker].pending); }

 private:
  /// An update that has not been seen to end.
  struct Pending {
    std::int64_t number;
    double arrived_s;
    double nominal_s;
  };
  struct Observations {
    MedianOfLast transfers;
    MedianOfLast updates;
    std::deque<Pending> pending;
    double last_update_end_s = 0;
  };
  /// The last decision, whose transfer may be under way.
  struct Decided {
    Message message;
    double start_s;
  };

  const Problem& problem_;
  PerWorker<Observations> workers_;
  std::optional<Decided> decided_;
};

/// Makes the plan of Adaptive, for a master with one port (not checked; for others
/// Heuristic::plan() throws NotApplicable). Workers take panels (groups of block columns) of C on
/// demand and compute them chunk by chunk (rectangles that fit in memory). Each time that a worker
/// has returned a chunk or stopped for good (noise), the remaining work is assigned anew by the
/// speeds observed so far: chunk by chunk to the worker that would finish it first. A worker that
/// gets none waits; once all columns are taken, a worker without a panel takes part of what another
/// has not started. A worker whose link has become slow is served after the others, unless they
/// would wait for it in the end. A run throws SimulationError if no worker has memory for 5 blocks,
/// the least for a chunk (Heuristic::plan() checks it before), or if all workers that have it stop
/// with columns left. The problem must outlive the plan; the platform need not.
Plan plan_adaptive(const Platform& platform, const Problem& problem);

}  // namespace starport
