// Memory in use on the workers during a run, transfer by transfer.
#pragma once

#include "sim/star/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace starport {

/// Effect of one transfer on the memory of its worker, in blocks.
struct MemoryEffect {
  /// Taken from the start of the transfer: the blocks it carries, and the accumulators that its
  /// update is the first to need.
  std::int64_t taken_blocks = 0;
  std::int64_t released_blocks = 0;  ///< released at the end of its update
  std::int64_t returned_blocks = 0;  ///< blocks of C returned, released at its own end
};

/// Accumulates the effects of transfers into the memory in use, worker by worker.
class MemoryUse {
 public:
  /// Called for each update once it has ended, with the index of its transfer and the blocks that
  /// the worker then holds.
  using AfterUpdate = std::function<void(std::size_t transfer, std::int64_t held_blocks)>;

  explicit MemoryUse(std::size_t workers, AfterUpdate after_update = {})
      : workers_(workers), after_update_(std::move(after_update)) {}

  /// Adds the next transfer of the trace. Returns the blocks that its worker holds from its start,
  /// or after its end for a transfer to the master.
  std::int64_t add(const TracedTransfer& event, const MemoryEffect& effect);
  /// Releases the blocks of updates of `worker` that end by `date_s`. The worker's next transfer
  /// must not start before that date.
  void release_until(double date_s, int worker) { release_until(date_s, workers_[worker]); }
  /// Releases the blocks of all remaining updates, after the last transfer.
  void finish();

 private:
  struct Release {
    double date_s;
    std::int64_t blocks;
    std::size_t transfer;
  };
  struct WorkerMemory {
    std::int64_t held_blocks = 0;
    std::deque<Release> releases;  ///< by date
  };

  void release_until(double date_s, WorkerMemory& memory) const;

  PerWorker<WorkerMemory> workers_;
  AfterUpdate after_update_;
  std::size_t added_ = 0;
};

class BlockRules;

/// Computes HeldBlocks for each transfer of a trace and passes both to a consumer in the order of
/// the trace, once the updates of earlier transfers have ended: on one port a few transfers later,
/// on others possibly only in finish(). O(n) in the transfers of a chunk schedule.
class HeldBlocksTracker {
 public:
  using Consumer = std::function<void(const TracedTransfer&, const HeldBlocks&)>;

  /// `platform` and `problem` must outlive the tracker.
  HeldBlocksTracker(const Platform& platform, const Problem& problem, Consumer consumer);
  ~HeldBlocksTracker();
  /// Adds the next transfer. Throws SimulationError if its blocks break the model.
  void add(const TracedTransfer& event);
  /// Passes on the remaining transfers, after the last one.
  void finish();

 private:
  struct Pending {
    TracedTransfer event;
    HeldBlocks held;
    bool is_known;  ///< held.update is final
  };

  void flush();

  const Platform& platform_;
  Consumer consumer_;
  std::unique_ptr<BlockRules> blocks_;
  MemoryUse memory_;
  PerWorker<std::int64_t> last_awaited_update_;
  std::deque<Pending> pending_;
  std::size_t flushed_ = 0;
};

/// Returns the memory in use around each transfer of a trace. Throws SimulationError if its blocks
/// break the model.
std::vector<HeldBlocks> compute_held_blocks(const Platform& platform, const Problem& problem,
                                            const Trace& trace);

}  // namespace starport
