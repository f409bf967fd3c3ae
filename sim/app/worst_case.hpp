// The search for the worst case of a heuristic with the models of this program.
#pragma once

#include "sim/results/comparison.hpp"
#include "sim/results/timeline.hpp"
#include "sim/worst/objective.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// Settings of a search for a worst case, the argument of find_worst_case(). `space` must be set;
/// the rest has defaults.
struct WorstCaseOptions {
  /// Instances to search; must be set, for instance by worst::find_search_space().
  worst::SearchSpace space;
  /// Number of instances to simulate, about, at least 1; the simplification may simulate as many
  /// again.
  std::int64_t evaluations = 20000;
  /// Seed of all random choices; equal seeds give equal results, whatever the number of jobs.
  std::uint64_t seed = 1;
  /// Number of processes that search in parallel; at least 1.
  int jobs = 1;
  /// Settings of the runs: the analytic engine, without noise. External heuristics have a process
  /// for each run, others do not, whatever `isolated` is.
  RunOptions runs = {.engine = EngineKind::analytic};
  /// Path of a file that receives the state of the search after each round and is replaced then;
  /// nullopt: none.
  std::optional<std::string> saved = {};
  /// True to start from the state in the file `saved`, which must be set and exist then.
  bool resumes = false;
  /// Called in this process after each round with the search, valid during the call. Must not be
  /// empty. Its exceptions end the search.
  std::function<void(const worst::Search&)> on_round = [](const worst::Search&) {};
  /// Called several times a second in this process; returning false ends the search, and the
  /// simplification of what it has found, early. Must not be empty.
  std::function<bool()> should_continue = [] { return true; };
};

/// The result of a search for a worst case, as find_worst_case() returns it. Owns all its data.
struct WorstCase {
  /// Simplified instance: the platform and the product, with at least 95 % of the ratio found.
  Case instance;
  /// Ratio of the simplified instance: makespan over that of the best rival, or over the bound.
  double ratio = 0;
  /// Ratio of the instance that the search found, before its simplification; `ratio` is at least
  /// 0.95 times this.
  double ratio_found = 0;
  /// Number of instances simulated by the search (all rounds, those before resuming included),
  /// those of the simplification not counted.
  std::int64_t evaluations = 0;
  /// Number of the instances in `evaluations` on which the tested heuristic failed or did not
  /// apply.
  std::int64_t failures = 0;
  /// First instance on which the tested heuristic failed or did not apply; nullopt if there was
  /// none.
  std::optional<Case> failing_instance = {};
  /// Error of the run on `failing_instance`, for people; empty if there was none.
  std::string failure = {};
  /// False if the search was ended early.
  bool is_complete = true;
};

/// Reads the names of a heuristic, `tested`, and of its opponents: a list as --heuristics takes it,
/// or "bound" for the lower bound on any schedule, which gives a contest without rivals.
/// `tested_place` and `opponents_place` are the places of errors, such as options. The tested
/// heuristic is left out of the opponents. Throws InputError for an unknown or malformed name, more
/// than one tested heuristic, algorithms of different models, or if no opponent is left.
worst::Contest read_contest(const std::string& tested, const std::string& tested_place,
                            const std::string& opponents, const std::string& opponents_place);

/// Searches for the worst case of a contest and simplifies it; blocks until that is done or
/// should_continue() returned false. Returns nullopt if no instance was found on which the two can
/// be compared, as when it was ended at once. Throws InputError if the two cannot be compared on
/// the first instances drawn, the space does not fit the model, or the saved state cannot be read,
/// is of another search or cannot be written; std::bad_optional_access if it resumes without
/// `saved`; SimulationError if a process of the search dies or fails. Call it from a process with
/// one thread, since it forks.
std::optional<WorstCase> find_worst_case(const worst::Contest& contest,
                                         const WorstCaseOptions& options);

/// Returns an instance of a search as the JSON text of a platform file, ending in a newline; `name`
/// and `provenance` are the values of its keys of these names. The product is not in it: see
/// problem_text().
std::string platform_text(Case instance, const std::string& name, const std::string& provenance);
/// Returns the product as --problem takes it, "nAxnABxnB" in matrix elements (nA = r q, nAB = t q,
/// nB = s q for blocks of q x q elements).
std::string problem_text(const Problem& problem);
/// Returns the result as a JSON object: heuristic, against, ratio, ratio_before_simplification,
/// within, seed, evaluations, problem, platform, failures, and, if there are any failures, failure
/// with the reason, problem and platform of the first one. `options` must be those of the search.
nlohmann::ordered_json to_json(const worst::Contest& contest, const WorstCase& result,
                               const WorstCaseOptions& options);

/// Simulates the contest on the simplified instance again, each run in a process of its own with
/// its trace validated, and on SimGrid; blocks until done. Returns the comparison, and the
/// timelines of the tested heuristic and, if there are rivals that apply, of the best one second.
/// Throws SimulationError if a run fails or SimGrid gives other dates, and InputError if SimGrid
/// cannot be loaded. Call it from a process with one thread, since it forks.
std::pair<Comparison, std::vector<Timeline>> check_worst_case(const worst::Contest& contest,
                                                              const WorstCase& result,
                                                              const WorstCaseOptions& options);

}  // namespace starport
