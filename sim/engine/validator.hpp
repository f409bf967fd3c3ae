// Whether a trace obeys the model (README, "What is modelled"). Knows nothing of engines and
// heuristics.
#pragma once

#include "sim/engine/date_rules.hpp"
#include "sim/model/trace.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace starport {

struct Violation {
  std::size_t transfer;  ///< index of the transfer at fault; the trace's size when something is
                         ///< missing at the end
  std::string message;
};

/// The first violation of a trace, or nullopt. Checked:
/// - the port carries one transfer at a time, each lasting as long as the model says;
/// - a transfer starts at max(port free, end of the update it names), or later if the master
/// waited:
///   then at the end of an update of some worker;
/// - an update starts at max(arrival of its transfer, end of the previous one), lasts cost * w_i;
/// - an update finds its blocks of A and B on the worker, and none is sent that is there already;
/// - at every instant worker i holds at most m_i blocks: a block counts from the start of the
///   transfer that brings it, an accumulator from the start of the transfer whose update first
///   needs it; A and B until they are let go of, C until the end of its return;
/// - each block of C is sent once, gets each of its t updates once, and comes home once.
/// Of a real run, Timing::observed: all but what says how long things last and how promptly they
/// follow each other.
/// O(n) in the transfers of a chunk schedule.
std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, Timing timing = Timing::model);

/// The first violation of a schedule: that of its trace under the recurrence.
std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const std::vector<Transfer>& transfers);

}  // namespace starport
