// How much memory of its worker each transfer of a trace takes, and when it gives that back.
#pragma once

#include "sim/star/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace starport {

/// What one transfer does to the memory of its worker.
struct MemoryEffect {
  /// From its start: the blocks it brings, and the accumulators that its update is the first to
  /// need.
  std::int64_t taken_blocks = 0;
  std::int64_t released_blocks = 0;  ///< at the end of its update
  std::int64_t returned_blocks = 0;  ///< at its own end: C that goes home
};

/// Adds the effects up, worker by worker, in the order of the port.
class MemoryUse {
 public:
  /// Told of each update of the trace once it has ended: the index of its transfer, and what its
  /// worker then holds.
  using AfterUpdate = std::function<void(std::size_t transfer, std::int64_t held_blocks)>;

  explicit MemoryUse(std::size_t workers, AfterUpdate after_update = {})
      : workers_(workers), after_update_(std::move(after_update)) {}

  /// The next transfer: what its worker holds from its start, or after its end for a return.
  std::int64_t count(const TracedTransfer& event, const MemoryEffect& effect);
  /// The worker's next transfer does not start before that date.
  void pass(double date_s, int worker) { release_until(date_s, workers_[worker]); }
  /// After the last transfer, the updates still to end.
  void finish();

 private:
  struct Release {
    double date_s;
    std::int64_t blocks;
    std::size_t transfer;
  };
  struct WorkerMemory {
    std::int64_t held_blocks = 0;
    std::deque<Release> releases;  ///< at the ends of updates, by date
  };

  void release_until(double date_s, WorkerMemory& memory) const;

  PerWorker<WorkerMemory> workers_;
  AfterUpdate after_update_;
  std::size_t counted_ = 0;
};

class BlockRules;

/// The memory around each transfer of a valid trace, handed over in the order of the port once the
/// updates of those before are over: on one port, a few transfers later. Throws SimulationError for
/// a trace whose blocks break the model. O(n) in the transfers of a chunk schedule.
class HeldBlocksTracker {
 public:
  using Take = std::function<void(const TracedTransfer&, const HeldBlocks&)>;

  /// All but `take` outlive it.
  HeldBlocksTracker(const Platform& platform, const Problem& problem, Take take);
  ~HeldBlocksTracker();
  void add(const TracedTransfer& event);
  void finish();  ///< after the last one

 private:
  struct Waiting {
    TracedTransfer event;
    HeldBlocks held;
    bool known;
  };

  void hand_over();

  const Platform& platform_;
  Take take_;
  std::unique_ptr<BlockRules> blocks_;
  MemoryUse memory_;
  PerWorker<std::int64_t> known_complete_;
  std::deque<Waiting> waiting_;
  std::size_t handed_over_ = 0;
};

/// What the worker of each transfer of a valid trace holds.
std::vector<HeldBlocks> compute_held_blocks(const Platform& platform, const Problem& problem,
                                    const Trace& trace);

}  // namespace starport
