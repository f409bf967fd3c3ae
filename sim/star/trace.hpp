// Trace of a run: every transfer and update with its dates.
#pragma once

#include "sim/star/message.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// A transfer that was carried out, with its dates and those of the update it allows.
struct TracedTransfer {
  /// The transfer: its worker, blocks and update.
  Transfer transfer;
  /// Dates of the transfer and of its update, in simulated seconds from the start of the run.
  Dates dates;
};

/// Trace of a run: all its transfers with their dates, in the order in which the master decided
/// them.
using Trace = std::vector<TracedTransfer>;

/// Memory in use on the worker of a traced transfer, in blocks of A, B and C.
struct HeldBlocks {
  /// For a transfer to the worker: blocks in use from its start on, those it brings included. For
  /// one to the master: blocks in use after its end.
  std::int64_t transfer = 0;
  /// Blocks in use after the end of the update that the transfer allows; 0 if it allows none.
  std::int64_t update = 0;
};

/// Computes the trace of `transfers`, in their order and without noise, by the recurrence of the
/// model (recurrence.hpp). A transfer that waits for an update that no earlier transfer allows gets
/// infinite dates, which the validator rejects. Throws SimulationError on multi-port platforms.
/// Requires that every transfer names a worker of the platform (not checked: undefined behaviour).
Trace replay(const Platform& platform, const Problem& problem,
             const std::vector<Transfer>& transfers);

/// Returns copies of the transfers of a trace without their dates, in the same order.
inline std::vector<Transfer> to_transfers(const Trace& trace) {
  std::vector<Transfer> transfers;
  transfers.reserve(trace.size());
  for (const TracedTransfer& event : trace) transfers.push_back(event.transfer);
  return transfers;
}

/// Describes the first difference between two traces, numbering transfers from 1, on one line
/// without a newline. Returns "" if they have the same transfers in the same order, with the same
/// fates and dates equal within 1e-9 times the makespan (latest end of a transfer) of `reference`.
std::string find_difference(const Trace& ours, const Trace& reference);

}  // namespace starport
