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
  Transfer transfer;
  Dates dates;
};

/// Transfers of a run, in the order in which the master decided them.
using Trace = std::vector<TracedTransfer>;

/// Memory in use on the worker of a traced transfer, in blocks.
struct HeldBlocks {
  /// Blocks in use from the start of a transfer to the worker, or after the end of one to the
  /// master.
  std::int64_t transfer = 0;
  std::int64_t update = 0;  ///< after the end of the update that it allows, if any
};

/// Computes the trace of `transfers` by the recurrence of the model (recurrence.hpp), without
/// noise. A transfer that waits for an update that no earlier transfer allows gets infinite dates,
/// which the validator rejects. Throws SimulationError on multi-port platforms. Every transfer must
/// name a worker of the platform.
Trace replay(const Platform& platform, const Problem& problem,
             const std::vector<Transfer>& transfers);

/// Returns the transfers of a trace without their dates.
inline std::vector<Transfer> to_transfers(const Trace& trace) {
  std::vector<Transfer> transfers;
  transfers.reserve(trace.size());
  for (const TracedTransfer& event : trace) transfers.push_back(event.transfer);
  return transfers;
}

/// Describes the first difference between two traces. Returns "" if they have the same transfers in
/// the same order, with dates equal within 1e-9 of the makespan of `reference`.
std::string find_difference(const Trace& ours, const Trace& reference);

}  // namespace starport
