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

/// Settings of find_worst_case(), which searches for the instance (platform with product) on which
/// a heuristic does worst against its opponents. `space` must be set; the rest has defaults.
struct WorstCaseOptions {
  /// Set of instances (platforms with products) to search; must be set, for instance by
  /// worst::find_search_space().
  worst::SearchSpace space = {};
  /// Number of instances to simulate, about, at least 1; the simplification of the one found may
  /// simulate as many again.
  std::int64_t evaluations = 20000;
  /// Seed of all random choices of the search; equal seeds give equal results, whatever the number
  /// of jobs.
  std::uint64_t seed = 1;
  /// Number of processes that search in parallel; at least 1.
  int jobs = 1;
  /// Settings of the simulated runs; by default the analytic engine (the models' own code, not
  /// SimGrid), without noise. External heuristics (programs of the user) have a process for each
  /// run, others do not, whatever `isolated` is.
  RunOptions runs = {.engine = EngineKind::analytic};
  /// Path of a file that receives the state of the search after each round (a part of the
  /// search) and is replaced then; nullopt: none.
  std::optional<std::string> saved = {};
  /// True to continue a search from the state that an earlier one, of the same space, evaluations
  /// and seed, wrote to the file `saved`. find_worst_case() throws std::bad_optional_access if
  /// `saved` is not set, and InputError if the file cannot be read or is of another search.
  bool resumes = false;
  /// Called in this process after each round (a part of the search) with the search,
  /// valid during the call. Must not be empty. Its exceptions end the search and leave
  /// find_worst_case().
  std::function<void(const worst::Search&)> on_round = [](const worst::Search&) {};
  /// Called several times a second in this process during the search; returning false ends the
  /// search, and the simplification of what it has found, early: find_worst_case() then returns the
  /// best found so far, if any. Must not be empty.
  std::function<bool()> should_continue = [] { return true; };
};

/// The result of a search for the worst case of a heuristic (the instance on which it does worst
/// against its opponents), as find_worst_case() returns it. Owns all its data.
struct WorstCase {
  /// Platform and product on which the tested heuristic does worst, simplified so that at least 95
  /// % of the ratio found remains.
  Case instance;
  /// Makespan of the tested heuristic on the simplified instance, divided by that of the best rival
  /// or, without rivals, by the lower bound on the makespan.
  double ratio = 0;
  /// Makespan of the tested heuristic divided by that of its opponent (best rival or lower bound),
  /// on the instance that the search found, before its simplification; `ratio` is at least 0.95
  /// times this.
  double ratio_found = 0;
  /// Number of instances simulated by the search (those before it was resumed included), those of
  /// the simplification not counted.
  std::int64_t evaluations = 0;
  /// Number of the instances in `evaluations` on which the tested heuristic failed or did not
  /// apply.
  std::int64_t failures = 0;
  /// First instance on which the tested heuristic failed or did not apply; nullopt if there was
  /// none.
  std::optional<Case> failing_instance = {};
  /// Error message of the tested heuristic's run on `failing_instance`, for people; empty if there
  /// was no failure.
  std::string failure = {};
  /// False if WorstCaseOptions::should_continue ended the search early; true also if it ended only
  /// the simplification.
  bool is_complete = true;
};

/// Reads the names of a heuristic, `tested`, and of its opponents: a list such as
/// "Het[clock=exact],ODDOML" or "all", or "bound" for the lower bound on the makespan of any
/// schedule, which gives a contest without rivals. `tested_place` and `opponents_place` are the
/// options that gave them, for messages. `tested` is left out of the opponents. Throws InputError
/// for an unknown or malformed name, more than one tested heuristic, algorithms of different
/// models, or if no opponent is left.
worst::Contest read_contest(const std::string& tested, const std::string& tested_place,
                            const std::string& opponents, const std::string& opponents_place);

/// Searches for the worst case of a contest, i.e. the instance (platform with product) on which the
/// tested heuristic does worst against its opponents, and simplifies it; blocks until that is done
/// or should_continue() returned false. Returns nullopt if no instance was found on which they can
/// be compared, as when it was ended at once. Throws InputError if they cannot be compared on the
/// first instances drawn, the space does not fit the model, or the saved state cannot be read, is
/// of another search or cannot be written; std::bad_optional_access if it resumes without `saved`;
/// SimulationError if a process of the search dies or fails. Call it from a process with one
/// thread, since it forks.
std::optional<WorstCase> find_worst_case(const worst::Contest& contest,
                                         const WorstCaseOptions& options);

/// Returns the size of a matrix product C += A.B as --problem takes it, "nAxnABxnB" in matrix
/// elements: A is nA x nAB, B is nAB x nB (nA = r q, nAB = t q, nB = s q for r x t and t x s blocks
/// of q x q elements).
std::string problem_text(const Problem& problem);
/// Returns the result of a search for the worst case of a heuristic as a JSON object: heuristic,
/// against, ratio, ratio_before_simplification, within, seed, evaluations, problem, platform,
/// failures, and, if there are any failures, failure with the reason, problem and platform of the
/// first one. `options` must be those of the search.
nlohmann::ordered_json to_json(const worst::Contest& contest, const WorstCase& result,
                               const WorstCaseOptions& options);

/// Simulates the algorithms of the contest on the simplified instance `result.instance` again, each
/// run in a process of its own with its trace (dated transfers and computations) validated, and on
/// SimGrid; blocks until done. Returns the comparison, and the timelines (activities by date, for
/// charts) of the tested heuristic and, if there are rivals that apply, of the best one second.
/// Throws SimulationError if a run fails or SimGrid gives other dates, and InputError if SimGrid
/// cannot be loaded. Call it from a process with one thread, since it forks.
std::pair<Comparison, std::vector<Timeline>> check_worst_case(const worst::Contest& contest,
                                                              const WorstCase& result,
                                                              const WorstCaseOptions& options);

}  // namespace starport
