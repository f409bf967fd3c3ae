// Differences between two runs: the first step that differs, and how each worker spends its time.
#pragma once

#include "sim/results/timeline.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// One slice (a transfer or an update) of the timeline of a run, described for people. Refers to
/// nothing.
struct RunStep {
  /// Category of the step (SliceKind::what): "transfer" or "update"; in runs that were read from a
  /// trace file also "lost transfer" and "lost update".
  std::string kind;
  /// Position among the steps of the same category in this run, from 1.
  std::int64_t number = 0;
  /// Description of the step without its dates: "C sent, P2: rows 1-8, columns 1-8" (indices of
  /// blocks from 1, both ends included).
  std::string text;
  /// Start date in simulated seconds since the start of the run.
  double start_s = 0;
  /// End date in simulated seconds since the start of the run.
  double end_s = 0;
};

/// The steps at the same position in the order of two runs, A and B; one of the runs may have ended
/// before.
struct StepPair {
  /// Step of run A; nullopt if A has no further step.
  std::optional<RunStep> a;
  /// Step of run B; nullopt if B has no further step.
  std::optional<RunStep> b;
};

/// Division of the time from 0 to the makespan of a group of lanes (a worker, or the master's
/// port), in simulated seconds, into three parts that add up to the makespan (up to rounding).
struct TimeSpent {
  /// Seconds in which a slice of the category "update" runs in the group (a computation), whether
  /// or not the group also transfers.
  double computing_s = 0;
  /// Seconds in which other slices run in the group, such as transfers, but no computation.
  double transferring_s = 0;
  /// Seconds in which no slice runs in the group.
  double idle_s = 0;
};

/// Times that the groups of one name (a worker, or the master's port) spend in two runs, A and B.
struct GroupTimes {
  /// Name of the group, such as "P1".
  std::string name;
  /// Times in run A; nullopt if A has no group of this name.
  std::optional<TimeSpent> a;
  /// Times in run B; nullopt if B has no group of this name.
  std::optional<TimeSpent> b;
};

/// The differences between two runs, A and B, found by find_run_difference(). Refers to nothing.
struct RunDifference {
  /// Descriptions of how the products or platforms of the runs differ, as case_differences()
  /// returns them; empty if none is known.
  std::vector<std::string> cases;
  /// First position with different steps; nullopt if the runs have the same steps in the same
  /// order.
  std::optional<StepPair> first_other_step;
  /// First position, before `first_other_step`, with steps that are equal but start or end at dates
  /// that differ by more than a relative 1e-9; nullopt if there is none.
  std::optional<StepPair> first_other_dates;
  /// Times of each group by name: the groups of A, then those that only B has.
  std::vector<GroupTimes> groups;
};

/// Compares the products and platforms of two runs, as far as their timelines show them: the last
/// index of each axis, the port, the memories, and how long alike slices take. Returns a
/// description of each difference, at most two, without a newline: "different products (r=10, s=20,
/// t=10 and r=10, s=40, t=10, in blocks)"; empty if none is known. Requires slices with labels or
/// arguments, as read_trace() gives them with TraceDetail::labels.
std::vector<std::string> case_differences(const Timeline& a, const Timeline& b);

/// Compares two runs step by step, in the order of their slices, up to the first different step,
/// and the times that each group of lanes spends. Dates are equal up to a relative 1e-9. The
/// timelines must be complete (not pieces) and have labels or arguments, as read_trace() gives them
/// with TraceDetail::labels: steps without these differ by kind and worker only. Of several groups
/// of one name in a run, the last counts.
RunDifference find_run_difference(const Timeline& a, const Timeline& b);

/// Formats the answer of find_run_difference() for the same two runs as text that ends in a
/// newline; of more than 24 groups, only the 24 that differ most. Times are in seconds. The
/// makespan of `a` must be positive, since that of `b` is given relative to it.
std::string to_table(const Timeline& a, const Timeline& b, const RunDifference& difference);
/// Formats the answer of find_run_difference() for the same two runs as a JSON object, with all
/// groups; times are in seconds, and what does not exist is null.
nlohmann::ordered_json to_json(const Timeline& a, const Timeline& b,
                               const RunDifference& difference);

/// Joins two runs into one timeline, for a chart of both: groups are named "A ..." and "B ...", all
/// of A first, with their slices. The makespan is the larger one, the port is that of `a`, and
/// there is a bound only if both runs have the same up to a relative 1e-9. The timelines must be
/// complete, not pieces.
Timeline join_timelines(const Timeline& a, const Timeline& b);

}  // namespace starport
