// Differences between two runs: the first step that differs, and how each worker spends its time.
#pragma once

#include "sim/results/timeline.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// One slice of a run, described for people.
struct RunStep {
  std::string kind;         ///< "transfer", "update"
  std::int64_t number = 0;  ///< counts the steps of this kind in the run, from 1
  std::string text;         ///< "C sent, P2: rows 1-8, columns 1-8"
  double start_s = 0;
  double end_s = 0;
};

/// The steps at the same position of two runs; nullopt for a run that has already ended.
struct StepPair {
  std::optional<RunStep> a;
  std::optional<RunStep> b;
};

/// The time until the makespan of a group of lanes (a worker, or the master's port), in three parts
/// that add up to it.
struct TimeSpent {
  double computing_s = 0;
  double transferring_s = 0;  ///< time of transfers while nothing is computed
  double idle_s = 0;
};

/// The times of the group of one name in two runs; nullopt in a run without this group.
struct GroupTimes {
  std::string name;
  std::optional<TimeSpent> a;
  std::optional<TimeSpent> b;
};

/// The differences between two runs A and B.
struct RunDifference {
  std::vector<std::string> cases;  ///< different products or platforms: case_differences()
  std::optional<StepPair> first_other_step;   ///< first position with different steps
  std::optional<StepPair> first_other_dates;  ///< first position with equal steps at other dates,
                                              ///< before first_other_step
  std::vector<GroupTimes> groups;             ///< groups of A, then those that only B has
};

/// Compares the products and platforms of two runs, as far as their timelines show them: the last
/// index of each axis, the port, the memories, and how long alike slices take. Returns each
/// difference as text, "different products (r=10, s=20, t=10 and r=10, s=40, t=10, in blocks)";
/// empty if none is known.
std::vector<std::string> case_differences(const Timeline& a, const Timeline& b);

/// Compares two runs step by step, in the order of their slices. Dates are equal up to a relative
/// 1e-9.
RunDifference find_run_difference(const Timeline& a, const Timeline& b);

/// Formats a difference as text; of more than 24 groups, only those that differ most.
std::string to_table(const Timeline& a, const Timeline& b, const RunDifference& difference);
/// Formats a difference as JSON, with all groups.
nlohmann::ordered_json to_json(const Timeline& a, const Timeline& b,
                               const RunDifference& difference);

/// Joins two runs into one timeline: groups are named "A ..." and "B ...", all of A first. Has a
/// bound if both have the same.
Timeline join_timelines(const Timeline& a, const Timeline& b);

}  // namespace starport
