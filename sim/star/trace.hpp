// Trace of a run: every transfer and update with its dates. Check that a schedule is C-stationary,
// which the C-stationary bound requires.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// A transfer between master and worker in a run, with the dates at which it and the update it
/// allows were carried out, or were lost because the worker stopped. An element of a Trace, made by
/// engines, by replay() and by real runs under MPI.
struct TracedTransfer {
  /// The transfer: its worker, the blocks it carries and the update it allows.
  Transfer transfer;
  /// Dates of the transfer and of the update that it allows, in simulated seconds (real ones for a
  /// run under MPI) from the start of the run, and whether they were lost (Dates::fate): what was
  /// lost ends at the date at which the worker stopped, and also starts then unless it was under
  /// way.
  Dates dates;
};

/// Trace of a run: all its transfers with their dates, in the order in which the master decided
/// them, which for a master with several ports need not be the order of their starts.
using Trace = std::vector<TracedTransfer>;

/// Memory in use on the worker of one transfer of a trace, at that transfer and after its update,
/// in blocks of A, B and C together. Computed by compute_held_blocks() and HeldBlocksTracker
/// (validator/memory_use.hpp).
struct HeldBlocks {
  /// For a transfer to the worker: number of blocks in use on the worker from its start on,
  /// including those that it brings and those of C that its update is the first to accumulate there
  /// from zero. For one to the master: number of blocks in use on the worker after its end.
  std::int64_t transfer = 0;
  /// Number of blocks in use on the worker after the end of the update that the transfer allows; 0
  /// if it allows none.
  std::int64_t update = 0;
};

/// Returns the trace of `transfers`, decided in this order and without noise, with the dates that
/// the star model gives. If a transfer waits for an update that no earlier transfer allows, it and
/// those after it on the same port or worker get infinite dates, which the validator rejects; on a
/// multi-port master throws SimulationError. Requires that every transfer names a worker of the
/// platform (not checked: undefined behaviour). Does not check blocks and memory: find_violation()
/// does.
Trace replay(const Platform& platform, const Problem& problem,
             const std::vector<Transfer>& transfers);

/// Returns copies of the transfers of a trace without their dates, in the same order.
inline std::vector<Transfer> to_transfers(const Trace& trace) {
  std::vector<Transfer> transfers;
  transfers.reserve(trace.size());
  for (const TracedTransfer& event : trace) transfers.push_back(event.transfer);
  return transfers;
}

/// Returns true if a transfer of the trace returns partial sums of blocks of C: several workers did
/// updates of a block, and the master adds up their results (sim/star/split_k.md). Bounds on the
/// makespan that are proved only without partial sums do not hold for such a trace.
inline bool splits_k(const Trace& trace) {
  return std::ranges::any_of(
      trace, [](const TracedTransfer& event) { return event.transfer.partial_sums; });
}

/// Describes the first difference between two traces (dated transfers of two runs), numbering
/// transfers from 1, on one line without a newline. Returns "" if they have the same transfers in
/// the same order, with the same fates (completed or lost) and dates equal within 1e-9 times the
/// latest finite end of a transfer of `reference`. An infinite date equals only itself.
std::string find_difference(const Trace& ours, const Trace& reference);

/// Checker, transfer by transfer, of whether a schedule is C-stationary: each worker keeps one
/// rectangle of C at a time, which one transfer brings; all its updates are done there with blocks
/// of A and B that arrive with it or later; and it returns to the master, in one transfer or
/// several, before the next one arrives. The C-stationary bound on the makespan holds for such
/// schedules (bounds/makespan_bounds.md). The schedule must obey the rules of the star model, which
/// is not checked.
class CStationaryCheck {
 public:
  /// Starts the check of whether a schedule is C-stationary, i.e. each worker keeps one rectangle
  /// of C until all its updates are done and it has returned it. No transfers have been added yet.
  /// `workers` is the number of workers of the platform; `problem`, the product, is copied.
  CStationaryCheck(std::size_t workers, const Problem& problem)
      : problem_(problem), rectangles_(workers) {}
  /// Adds the next transfer of the schedule to check, in the order in which the master decided
  /// them. Its worker must be an index from 0 below `workers` of the constructor (not checked:
  /// undefined behaviour).
  void add(const Transfer& transfer);
  /// Returns whether the transfers added form a C-stationary schedule (each worker keeps one
  /// rectangle of C at a time until it returns it). To be called once all have been added: false
  /// while a rectangle has not been returned; true without transfers.
  bool holds() const;

 private:
  /// The rectangle of C on one worker.
  struct WorkerRectangle {
    Rectangle blocks;
    std::int64_t returned_blocks = 0;
    std::int64_t a_blocks = 0;  ///< received since the rectangle
    std::int64_t b_blocks = 0;  ///< received since the rectangle
    std::int64_t block_updates = 0;
  };

  bool receive(const Transfer& transfer, WorkerRectangle& rectangle) const;
  bool send_back(const Transfer& transfer, WorkerRectangle& rectangle) const;

  Problem problem_;
  PerWorker<WorkerRectangle> rectangles_;
  bool valid_so_far_ = true;
};

}  // namespace starport
