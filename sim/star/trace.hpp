// What happened during a run: every transfer and update with its dates.
#pragma once

#include "sim/star/message.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

struct TracedTransfer {
  Transfer transfer;
  Dates dates;
};

/// In the order of the port.
using Trace = std::vector<TracedTransfer>;

/// How much of its worker's memory is taken around a traced transfer, in blocks.
struct HeldBlocks {
  std::int64_t transfer = 0;  ///< from the start of a transfer to the worker, after a return
  std::int64_t update = 0;    ///< after the update it allows, if any
};

/// The trace that the recurrence gives to a list of transfers. A transfer that names an update
/// not allowed before it gets infinite dates; the validator refuses them.
Trace replay(const Platform& platform, const Problem& problem,
             const std::vector<Transfer>& transfers);

inline std::vector<Transfer> transfers_of(const Trace& trace) {
  std::vector<Transfer> transfers;
  transfers.reserve(trace.size());
  for (const TracedTransfer& event : trace) transfers.push_back(event.transfer);
  return transfers;
}

/// Empty when the traces have the same transfers in the same order, with dates equal to 1e-9 of
/// the makespan; else where they differ first.
std::string find_difference(const Trace& ours, const Trace& reference);

}  // namespace starport
