// Validator: checks that a trace obeys the model (README, "What is modelled"), independently of
// engines and heuristics.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// Strictness of find_violation() about dates: `model`, all dates must be those of the star model;
/// `observed`, for real runs, whose durations and idle times are arbitrary, no activity may overlap
/// another or start before what it needs has ended.
enum class Timing { model, observed };

/// Finding of the validator: a transfer that breaks a rule of the model, or the end of a trace that
/// is incomplete, and how. It is the first one in the order of the trace, except that for a
/// multi-port master the limit on simultaneous transfers and the fair shares are checked last, only
/// if no other rule is broken.
struct Violation {
  /// Index in the trace, from 0, of the transfer at fault; the number of transfers in the trace if
  /// it ends too early (blocks of C are missing or incomplete).
  std::size_t transfer;
  /// Description of the violation, as part of a sentence, on one line: how the transfer breaks the
  /// rule, or what is missing at the end of the trace. Workers and updates are numbered from 1,
  /// block rows, block columns and k from 0.
  std::string message;
};

/// Returns the first violation of the rules of the star model in a trace (all transfers of a run
/// with their dates), nullopt if there is none. Throws SimulationError if the noise is not modelled
/// for the master's port; workers that the noise names must exist (not checked: undefined
/// behaviour), those of transfers need not. Checks that
/// - each port and each worker carries one transfer at a time, and a multi-port master no more than
///   its limit;
/// - transfers last as long as in the model; if they share a bandwidth, as long as max-min fair
///   shares give, computed from the dates at which they start;
/// - a transfer starts at max(port and worker free, end of the update it waits for), or later if
///   the master waited: then at the end of an update of some worker, or of a transfer on another
///   port, or when a worker stops;
/// - an update on worker i starts at max(arrival of its transfer, end of the previous one) and
///   lasts update_cost() times w_i, the worker's seconds per block update;
/// - an update finds its blocks of A and B on the worker, and no block is sent that is there
///   already; a block that an update releases may be sent again meanwhile, as a second copy in
///   memory;
/// - at every instant worker i holds at most m_i (Worker::m_blocks) blocks: a block counts from the
///   start of the transfer that brings it, a block of C accumulated from zero from the start of the
///   transfer whose update first needs it; A and B count until released, C until the end of its
///   return;
/// - each block of C is sent once, gets each of its t updates once, and is returned once; or
///   it is returned several times, marked as partial sums that the master adds up and in which,
///   taken together, each of the t updates and the value that the master sent are contained
///   exactly once.
/// Takes about O(n log n) time for the n transfers of a schedule by chunks (rectangles of C that
/// stay on a worker for all their updates).
///
/// With noise, durations follow its factors and slow-downs; a transfer or an update is lost exactly
/// if a stop interrupts it; blocks on a worker that stops are lost, its blocks of C may be sent
/// again and then need all t updates again; nothing is sent to a worker that has stopped.
std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, const Noise& noise = {});
/// Returns the first violation of the rules of the star model in a trace (all transfers of a run
/// with their dates) without noise, nullopt if there is none. Timing::model checks all rules.
/// Timing::observed, for real runs without a bandwidth that the transfers of a multi-port master
/// share (fair shares are always checked), skips the rules about durations and about how promptly
/// activities start, and still checks that no activity overlaps another or starts before what it
/// needs has ended.
std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const Trace& trace, Timing timing);

/// Validator for traces (dated transfers of a run) that arrive transfer by transfer, as from
/// Engine::stream(). Checks the same rules as find_violation() of a Trace with the same noise:
/// dates must be those of the star model (Timing::model), so traces of real runs are rejected. Call
/// add() for each transfer, until it returns a violation, then finish() if it returned none. Refers
/// to platform and problem, which must outlive it; neither copyable nor movable. Stores no
/// transfers, but 8 bytes per update, 24 per transfer of C to a worker, the rectangles in which
/// partial sums of C were returned, and for masters with several ports up to 48 per transfer.
class TraceValidator {
 public:
  /// Makes a validator for an empty trace of the product `problem` on `platform`, which must both
  /// outlive it; `noise` is copied. Throws SimulationError if the noise is not modelled for the
  /// master's port; the workers that it names must exist (not checked: undefined behaviour).
  TraceValidator(const Platform& platform, const Problem& problem, const Noise& noise);
  ~TraceValidator();
  /// Checks the next transfer of the trace, in the order in which the master decided them, and
  /// returns the first violation so far, which may be of an earlier transfer; nullopt if none has
  /// been found. After a violation, neither add() nor finish() may be called (results would be
  /// meaningless).
  std::optional<Violation> add(const TracedTransfer& event);
  /// Returns a violation if a rule that needs the complete trace is broken: blocks of C are
  /// missing, have incomplete partial sums or were sent twice, or for a multi-port master too many
  /// transfers were under way at once or shared the bandwidth unfairly; nullopt if the trace is
  /// valid. Call it after the last transfer.
  std::optional<Violation> finish() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Returns the first violation of the rules of the star model by a schedule, given as its transfers
/// in the order in which the master decides them; nullopt if there is none. Each transfer and each
/// update gets the earliest date that the model allows, without noise. A multi-port platform is
/// treated as one-port here, also for the metrics; its own rules need the trace of a run. Adds the
/// transfers up to the one at which a violation is found (included if its worker exists), or all,
/// to `metrics` unless it is null; it must have been created for the workers of `platform` (not
/// checked: undefined behaviour). Worker indices out of range are reported as violations.
std::optional<Violation> find_violation(const Platform& platform, const Problem& problem,
                                        const std::vector<Transfer>& transfers,
                                        MetricsAccumulator* metrics = nullptr);

/// Exception for a broken rule of the star model, not derived from std::exception. Thrown by the
/// checkers of the validator (BlockRules, DateRules, PortRules), whose users catch it: the
/// validator returns a Violation instead, HeldBlocksTracker throws SimulationError.
struct BrokenRule {
  /// Description of how the rule is broken, as part of a sentence, without a newline; workers and
  /// updates are numbered from 1, block rows, block columns and k from 0.
  std::string message;
};

/// Throws BrokenRule (a transfer breaks a rule of the star model) with a message formatted from
/// `format` and `values` as by fmt::format(): part of a sentence, without a newline.
template <class... Values>
[[noreturn]] void throw_broken_rule(fmt::format_string<Values...> format, Values&&... values) {
  throw BrokenRule{fmt::format(format, std::forward<Values>(values)...)};
}

/// Returns true if `date_s` is equal to one of `dates`, within a relative 2^-46 (clearly_earlier()
/// in ties.hpp); false if there are none. Dates are in simulated seconds, at least 0; `dates` must
/// be sorted in ascending order (not checked: wrong result).
inline bool is_among(const std::vector<double>& dates, double date_s) {
  const auto near = std::lower_bound(dates.begin(), dates.end(), date_s, clearly_earlier);
  return near != dates.end() && !clearly_earlier(date_s, *near);
}

/// Returns the tolerance, in seconds, for the duration of an activity that should last `expected_s`
/// seconds and ends at the simulated date `end_s` in seconds: a relative 1e-9 of the duration, plus
/// 1e-13 of the date for rounding.
inline double duration_tolerance_s(double end_s, double expected_s) {
  return kRelativeTolerance * expected_s + 1e-13 * end_s;
}

/// Throws BrokenRule (a rule of the star model is broken) if the activity `what` ("transfer" or
/// "update", for the message) from `start_s` to `end_s`, simulated dates in seconds, does not last
/// `expected_s` seconds within duration_tolerance_s(): 1e-9 of `expected_s` plus 1e-13 of `end_s`.
/// Dates must be finite (not checked: NaN passes).
inline void check_duration(const char* what, double start_s, double end_s, double expected_s) {
  if (std::abs(end_s - start_s - expected_s) > duration_tolerance_s(end_s, expected_s)) {
    throw_broken_rule("the {} lasts {} s instead of {} s", what, end_s - start_s, expected_s);
  }
}

}  // namespace starport
