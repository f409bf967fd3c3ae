// Whether a trace obeys the model (README, "What is modelled"). Knows nothing of engines and
// heuristics.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/trace.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace starport {

/// Whether durations and starts must be those of the model, or may be what a real run took.
enum class Timing { model, observed };

struct Violation {
  std::size_t transfer;  ///< index of the transfer at fault; the trace's size when something is
                         ///< missing at the end
  std::string message;
};

/// The first violation of a trace, or nullopt. Checked:
/// - the port carries one transfer at a time, of several ports each one, and none shares its worker
///   with another; on many ports there are no more at once than there may be;
/// - each lasts as long as the model says; where they share a bandwidth, as long as max-min shares
///   give, computed again from the dates at which they start;
/// - a transfer starts at max(port and worker free, end of the update it names), or later if the
///   master waited: then at the end of an update of some worker, or of a transfer on another port;
/// - an update starts at max(arrival of its transfer, end of the previous one), lasts cost * w_i;
/// - an update finds its blocks of A and B on the worker, and none is sent that is there already;
///   one that an update lets go of may come again while it goes on, as a second copy that takes
///   room;
/// - at every instant worker i holds at most m_i blocks: a block counts from the start of the
///   transfer that brings it, an accumulator from the start of the transfer whose update first
///   needs it; A and B until they are let go of, C until the end of its return;
/// - each block of C is sent once, gets each of its t updates once, and comes home once.
/// O(n) in the transfers of a chunk schedule.
///
/// With noise: durations are those of its factors and paces; something is lost exactly where a stop
/// cuts it off; what a worker that stopped held is gone, its blocks of C may be sent again, and
/// each of the t updates counts since; nothing is sent to a worker that has stopped.
std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, const Noise& noise = {});
/// The same of a real run on one port, Timing::observed: all but what says how long things last and
/// how promptly they follow each other.
std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, Timing timing);

/// The same, transfer by transfer. It keeps no transfer, but 8 bytes for each update.
class TraceValidator {
 public:
  /// All outlive it.
  TraceValidator(const Platform& platform, const Problem& problem, const Noise& noise);
  ~TraceValidator();
  /// The first violation so far. After one there is nothing more to add.
  std::optional<Violation> add(const TracedTransfer& event);
  /// What is missing after the last transfer.
  std::optional<Violation> finish() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The first violation of a schedule: that of its trace under the recurrence. Many ports, for which
/// there is none, count as one here: what the schedule does there is found when it is run. `meter`
/// gets what is carried out, up to there.
std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const std::vector<Transfer>& transfers,
                                        MetricsAccumulator* meter = nullptr);

}  // namespace starport
