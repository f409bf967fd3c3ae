// Two runs on one time axis: where they part, and where the time of each goes.
#pragma once

#include "sim/results/timeline.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// A slice in words.
struct RunStep {
  std::string kind;         ///< "transfer", "update"
  std::int64_t number = 0;  ///< of that kind in its run, from 1
  std::string text;         ///< "C sent, P2: rows 1-8, columns 1-8"
  double start_s = 0;
  double end_s = 0;
};

/// The first place where two runs are not the same; a run that is over has no step there.
struct Parting {
  std::optional<RunStep> a;
  std::optional<RunStep> b;
};

/// Of a group of lanes, a worker's or a port's, until the makespan of its run.
struct TimeSpent {
  double computing_s = 0;
  double transferring_s = 0;  ///< while nothing is computed; a port's transfers
  double idle_s = 0;
};

struct GroupTimes {
  std::string name;
  std::optional<TimeSpent> a;
  std::optional<TimeSpent> b;
};

struct RunDifference {
  std::vector<std::string> cases;   ///< how product and platform differ (run_cases.hpp)
  std::optional<Parting> decision;  ///< the first step that is another one
  std::optional<Parting> date;      ///< the first one before that which has other dates
  std::vector<GroupTimes> groups;   ///< those of A, then those that only B has
};

RunDifference difference_of(const Timeline& a, const Timeline& b);

/// For people, the groups that differ most where there are many.
std::string to_table(const Timeline& a, const Timeline& b, const RunDifference& difference);
nlohmann::ordered_json to_json(const Timeline& a, const Timeline& b,
                               const RunDifference& difference);

/// Both in one timeline: each group of A above the same of B.
Timeline beside(const Timeline& a, const Timeline& b);

}  // namespace starport
