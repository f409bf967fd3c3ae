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

/// Changes, in blocks, of the memory in use on a worker by one transfer and the update that it
/// allows: the result of BlockRules::check().
struct MemoryEffect {
  /// Number of blocks that occupy the worker's memory from the start of the transfer on: those it
  /// carries to the worker, and the blocks of C that its update is the first to accumulate there
  /// from zero; 0 for a transfer to the master.
  std::int64_t taken_blocks = 0;
  /// Number of blocks that leave the worker's memory at the end of the update that the transfer
  /// allows: blocks of A and B that it releases, and blocks of C that it added to those accumulated
  /// on the worker. 0 if there is none.
  std::int64_t released_blocks = 0;
  /// Number of blocks of C that the transfer returns to the master; they leave the worker's memory
  /// at its end. 0 for a transfer to the worker and for a lost one.
  std::int64_t returned_blocks = 0;
};

/// Account of the memory in use on each worker during one run, in blocks, to which the effects of
/// the transfers of its trace are added one by one. Does not compare it with the workers' memories.
/// Workers are indices from 0, which must exist (not checked: undefined behaviour).
class MemoryUse {
 public:
  /// Function called for each update of a worker, in order for each worker, once MemoryUse has
  /// counted the blocks released at its end. `transfer` is the index in the trace, from 0, of the
  /// transfer that allowed the update (the number of transfers added before it); `held_blocks` is
  /// the number of blocks that the worker holds after the update. Must not call MemoryUse.
  using AfterUpdate = std::function<void(std::size_t transfer, std::int64_t held_blocks)>;

  /// Starts with the memories of `workers` workers empty. `after_update` is called after the end of
  /// each update; may be empty; its exceptions pass. What it refers to must outlive this object.
  explicit MemoryUse(std::size_t workers, AfterUpdate after_update = {})
      : workers_(workers), after_update_(std::move(after_update)) {}

  /// Adds the next transfer of the trace with its effect on the memory of its worker, and returns
  /// the number of blocks in that memory from the start of the transfer on, or after its end if it
  /// goes to the master. Before that, counts as released the blocks of the worker's updates that
  /// have ended by that date, and calls the AfterUpdate function, whose exceptions pass, for each.
  /// The transfers of a worker must come in the order of their starts, its updates in that of their
  /// ends (not checked: wrong numbers).
  std::int64_t add(const TracedTransfer& event, const MemoryEffect& effect);
  /// Counts as released the blocks that leave the memory of `worker` (index from 0, not checked) at
  /// the ends of its updates up to `date_s` simulated seconds, included, and calls the AfterUpdate
  /// function for each. The worker's next transfer must not start before that date (not checked:
  /// blocks still in memory at its start would not be counted).
  void release_until(double date_s, int worker) { release_until(date_s, workers_[worker]); }
  /// Counts as released the blocks that leave the workers' memories at the ends of all remaining
  /// updates, worker by worker, and calls the AfterUpdate function for each. Call it after the last
  /// transfer.
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

/// Computation of the memory in use (HeldBlocks) for each transfer of a trace that arrives transfer
/// by transfer. Passes each transfer and its HeldBlocks to a consumer, in the order of the trace,
/// once its update and those of earlier transfers have ended: for one-port masters a few transfers
/// later, for others possibly only in finish(). Call add() for each transfer, then finish(). Blocks
/// on a worker that stops (noise) count as held for good, but for those that a lost update was to
/// release, which go at the stop. Takes O(n) time for the n transfers of a schedule by chunks
/// (rectangles of C that stay on a worker for all their updates).
class HeldBlocksTracker {
 public:
  /// Function that receives each transfer of the trace, in order, with the memory in use on its
  /// worker, in blocks. The references are valid during the call. Must not call the tracker. After
  /// an exception that it throws, which passes to the caller of the tracker, the tracker must not
  /// be used.
  using Consumer = std::function<void(const TracedTransfer&, const HeldBlocks&)>;

  /// Makes a tracker for an empty trace of the product `problem` on `platform`, which must both
  /// outlive it. `consumer`, called for each transfer, is copied and must not be null.
  HeldBlocksTracker(const Platform& platform, const Problem& problem, Consumer consumer);
  ~HeldBlocksTracker();
  /// Adds the next transfer of the trace, in the order in which the master decided them; it is
  /// copied. May call the consumer, for this or earlier ones. Throws SimulationError if its worker
  /// does not exist or its blocks break the rules of the model, and what the consumer throws; the
  /// tracker must not be used any more then. Does not check dates, nor whether the blocks fit in
  /// the memory of the worker or a block of C is sent again to another worker or after its return.
  void add(const TracedTransfer& event);
  /// Passes the remaining transfers, with the memory in use, to the consumer, whose exceptions
  /// pass. Call it once, after the last transfer; the destructor does not.
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

/// Returns, for each transfer of a trace, by the same index, the memory in use on its worker, in
/// blocks, at the transfer and after its update. Throws SimulationError if a worker does not exist
/// or blocks of a transfer break the rules of the model (what it carries, what its update needs).
/// Does not check dates, nor whether the blocks fit in the memory of the worker or a block of C is
/// sent again to another worker or after its return. Blocks on a worker that stops (noise) count as
/// held for good, but for those that a lost update was to release, which go at the stop.
std::vector<HeldBlocks> compute_held_blocks(const Platform& platform, const Problem& problem,
                                            const Trace& trace);

}  // namespace starport
