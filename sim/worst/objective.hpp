// The ratio that a search for worst cases maximises, by simulation, and the parallel search itself.
#pragma once

#include "sim/results/model.hpp"
#include "sim/worst/search.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace starport::worst {

/// The algorithm under test and what it is compared with. Copies share the algorithms.
struct Contest {
  /// The algorithm whose worst case is searched, not requested by name: a platform with too little
  /// memory for it does not apply.
  NamedAlgorithm tested;
  /// Algorithms of the same model, the best of which counts on each instance; empty: the lower
  /// bound on the makespan of any schedule takes their place.
  std::vector<NamedAlgorithm> rivals = {};

  /// Returns what the algorithm is compared with, for people: "ODDOML", "the best of Het, BMM" or
  /// "the lower bound for any schedule".
  std::string opponent() const;
};

/// Returns the model's lower bound in seconds on the makespan of any schedule of an instance: the
/// figure any_schedule_bound_s of stars, any_run_bound_s of tiles, and the time that the product
/// takes at balanced_speed_tflops; NaN if there is none. Throws InputError when the platform does
/// not fit the model.
double makespan_bound_s(const Model& model, const Case& instance);

/// Returns the function that simulates the algorithms of a contest by `model`, the model of all of
/// them, with `options` and computes the loss. `model` must outlive the function.
Evaluate make_objective(const Contest& contest, const Model& model, const RunOptions& options);

/// Advances `search` to its end in up to `processes` (at least 1) child processes, and calls
/// `on_round` in this process after each round. Returns true when the search is complete, and
/// false when `should_continue`, called several times a second, returned false; the search is then
/// at the end of a round. Throws SimulationError, with the reason, if a child process dies or
/// `evaluate` throws. Call it from a process with one thread, since it forks.
bool run_search(Search& search, const Evaluate& evaluate, int processes,
                const std::function<bool()>& should_continue,
                const std::function<void(const Search&)>& on_round);

/// Draws up to 200 instances from `space` until one counts for the contest, so that a search that
/// cannot succeed is refused before it starts. Throws InputError, which names `place` and says why
/// the algorithms failed, if none counts within 20 s.
void check_feasible(const Contest& contest, const SearchSpace& space, const Evaluate& evaluate,
                    const std::string& place);

}  // namespace starport::worst
