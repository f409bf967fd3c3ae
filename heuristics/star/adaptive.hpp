// Adaptive: demand-driven, and by the figures that the run shows, not by those of the platform
// file.
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/star/dispatcher.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace starport {

/// Of the last five values.
class MedianOfLast {
 public:
  void add(double value);
  double median() const;  ///< 1 when there is none
  bool empty() const { return last_.empty(); }

 private:
  std::deque<double> last_;
};

/// How many times as long as the platform says the transfers and the updates of the workers last,
/// as far as the master has seen: by the median of the last five of each.
class ObservedPace {
 public:
  ObservedPace(const Platform& platform, const Problem& problem)
      : problem_(problem), workers_(platform.workers.size()) {}

  /// Each time that the dispatcher is asked, before it decides.
  void look(const MasterView& star);
  /// What it has decided.
  void note(const MasterView& star, const Message& message);

  double of_transfers(int worker) const { return workers_[worker].transfers.median(); }
  double of_updates(int worker) const { return workers_[worker].updates.median(); }
  /// The updates of a worker that have been sent, and not been seen to end.
  std::int64_t updates_under_way(int worker) const { return std::ssize(workers_[worker].pending); }

 private:
  struct Pending {
    std::int64_t number;
    double arrived_s;
    double nominal_s;
  };
  struct Seen {
    MedianOfLast transfers;
    MedianOfLast updates;
    std::deque<Pending> pending;
    double last_update_end_s = 0;
  };
  struct Decided {
    Message message;
    double start_s;
  };

  const Problem& problem_;
  PerWorker<Seen> workers_;
  std::optional<Decided> decided_;
};

/// Workers take panels on demand, as ODDOML's do. Each time that one is about to begin a chunk,
/// what is left is shared out anew, by the pace seen so far: chunk after chunk to the worker that
/// would end it first (min-min). A worker to which none falls waits, and one without a panel takes
/// over what another has not begun of its own, so much that both end at once, as far as one can
/// tell. One whose link has become slow is served after the others, unless they would wait for it
/// in the end.
Plan plan_adaptive(const Platform& platform, const Problem& problem);

}  // namespace starport
