// Adaptive: a demand-driven heuristic that uses the speeds observed during the run instead of those
// of the platform file.
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/star/dispatcher.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace starport {

/// Median of the last five values added.
class MedianOfLast {
 public:
  void add(double value);
  /// Returns the median; 1 if no value has been added.
  double median() const;
  bool empty() const { return last_.empty(); }

 private:
  std::deque<double> last_;
};

/// Observed slow-down of each worker's transfers and updates: duration / nominal duration by the
/// platform file, as the median of the last five that the master has seen end. Keeps a reference to
/// the problem.
class ObservedPace {
 public:
  ObservedPace(const Platform& platform, const Problem& problem)
      : problem_(problem), workers_(platform.workers.size()) {}

  /// Records the transfers and updates that have ended by now. Must be called before each decision.
  void observe(const MasterView& star);
  /// Records the message of a decision. Must be called after each decision that sends one.
  void record_decision(const MasterView& star, const Message& message);

  /// Returns the slow-down of the transfers with a worker; 1 if unknown.
  double transfer_slowdown(int worker) const { return workers_[worker].transfers.median(); }
  /// Returns the slow-down of the updates of a worker; 1 if unknown.
  double update_slowdown(int worker) const { return workers_[worker].updates.median(); }
  /// Returns the number of updates sent to a worker that have not been seen to end.
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

/// Makes an adaptive plan. Workers take panels on demand, as in ODDOML. Each time that a worker is
/// about to start a chunk, the remaining work is assigned anew with the speeds observed so far:
/// chunk after chunk to the worker that would finish it first (min-min). A worker that gets none
/// waits; one without a panel takes part of another's remaining panel, such that both are expected
/// to finish at the same time. A worker whose link has become slow is served after the others,
/// unless they would wait for it in the end. The platform and the problem must outlive the plan.
Plan plan_adaptive(const Platform& platform, const Problem& problem);

}  // namespace starport
