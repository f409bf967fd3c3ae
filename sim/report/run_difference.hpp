// Differences between two runs: the first step that differs, and how each worker spends its time.
#pragma once

#include "sim/results/timeline.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// One step (a transfer or an update) of a run, described for people: its position among the steps
/// of its kind, a text, and its dates. Refers to nothing.
struct RunStep {
  /// Category of the step (SliceKind::what): "transfer" or "update" (a computation).
  std::string kind;
  /// Position among the steps (transfers and updates) of the same category in this run, from 1.
  std::int64_t number = 0;
  /// Description of the step without its dates: "C sent, P2: rows 1-8, columns 1-8" (indices of
  /// blocks from 1, both ends included).
  std::string text;
  /// Start date in simulated seconds since the start of the run.
  double start_s = 0;
  /// End date in simulated seconds since the start of the run.
  double end_s = 0;
};

/// Steps (transfers or updates) of two runs, A and B, at the same position in their order; nullopt
/// for a run that has fewer.
struct StepPair {
  /// Step (transfer or update) of run A at this position; nullopt if A has fewer steps.
  std::optional<RunStep> a;
  /// Step (transfer or update) of run B at this position; nullopt if B has fewer steps.
  std::optional<RunStep> b;
};

/// Times of a group of lanes (a worker, or the master's port) by activity, from 0 to the makespan
/// of its run: simulated seconds of computing, transferring and idling, which add up to the
/// makespan (up to rounding).
struct TimeSpent {
  /// Simulated seconds in which a slice of the category "update" (a computation) runs in the group
  /// of lanes (a worker), whether or not it also transfers.
  double computing_s = 0;
  /// Simulated seconds in which other slices, such as transfers, run in the group of lanes (a
  /// worker or the port), but no computation.
  double transferring_s = 0;
  /// Simulated seconds, from 0 to the makespan of the run, in which no slice (activity) runs in the
  /// group of lanes (a worker or the port).
  double idle_s = 0;
};

/// Times of one worker, or of the master's port, by activity in two runs, A and B, for comparison;
/// nullopt for a run that does not have it. An element of RunDifference::groups.
struct GroupTimes {
  /// Name of the group of lanes, such as "P1" for a worker.
  std::string name;
  /// Times in run A; nullopt if A has no group of lanes of this name.
  std::optional<TimeSpent> a;
  /// Times in run B; nullopt if B has no group of lanes of this name.
  std::optional<TimeSpent> b;
};

/// Result of find_run_difference() for two runs, A and B: how their inputs differ, the first steps
/// (transfers or updates) that differ, and how each worker spends its time. Refers to nothing.
struct RunDifference {
  /// Descriptions of how the products or platforms of the runs differ, as case_differences()
  /// returns them; empty if none is known.
  std::vector<std::string> cases;
  /// Steps (transfers or updates) of both runs at the first position at which they differ, whatever
  /// their dates; that of a run which has fewer steps is nullopt. nullopt if both runs have the
  /// same steps in the same order.
  std::optional<StepPair> first_other_step;
  /// First position, before `first_other_step`, at which both runs have the same step (transfer or
  /// update), but with a start or an end that differs by more than a relative 1e-9; nullopt if
  /// there is none.
  std::optional<StepPair> first_other_dates;
  /// Simulated seconds that each group of lanes (a worker, or the master's port) spends on each
  /// activity in A and in B, paired by the name of the group: the groups of A, then those that only
  /// B has.
  std::vector<GroupTimes> groups;
};

/// Compares the products and platforms of two runs, as far as their timelines show them: the last
/// index of each axis of the product (rows, columns, k), the port, the memories and, on a one-port
/// or two-port, the shortest duration of the slices (activities) of the same worker, kind and size,
/// which noise may change, too. Returns at most one description of the products, "different
/// products (r=10, s=20, t=10 and r=10, s=40, t=10, in blocks)", then at most one of the platforms,
/// without newlines; empty if no difference is known. Products and durations are compared only if
/// the slices have labels or arguments, as read_trace() gives them with TraceDetail::labels.
std::vector<std::string> case_differences(const Timeline& a, const Timeline& b);

/// Compares two runs step by step, in the order of their slices (transfers and updates), up to the
/// first different step, and how each group of lanes (a worker, or the port) spends its time. Dates
/// are equal up to a relative 1e-9. The timelines must be complete (not pieces) and have labels or
/// arguments, as read_trace() gives them with TraceDetail::labels: steps without these differ by
/// kind and worker only. Of several groups of one name in a run, the last counts.
RunDifference find_run_difference(const Timeline& a, const Timeline& b);

/// Formats the answer of find_run_difference() for the same two runs as text that ends in a
/// newline; of more than 24 groups of lanes (workers), only the 24 that differ most. Times are in
/// seconds. The makespan of `a` must be positive, since that of `b` is given relative to it (not
/// checked: 0 gives "inf%").
std::string to_table(const Timeline& a, const Timeline& b, const RunDifference& difference);
/// Formats the answer of find_run_difference() for the same two runs as a JSON object, with all
/// groups of lanes (workers); times are in seconds, and what does not exist is null.
nlohmann::ordered_json to_json(const Timeline& a, const Timeline& b,
                               const RunDifference& difference);

/// Joins the timelines of two runs into one, for a chart of both: groups of lanes (workers) are
/// named "A ..." and "B ...", all of A first, with their slices (activities); removals from
/// memories (Timeline::removals) are left out. The makespan is the larger one, the port is that of
/// `a`, and there is a lower bound on the makespan only if both runs have the same up to a relative
/// 1e-9. The timelines must be complete, not pieces.
Timeline join_timelines(const Timeline& a, const Timeline& b);

}  // namespace starport
