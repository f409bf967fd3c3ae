// The ratio that a search for worst cases maximises, by simulation, and the parallel search itself.
#pragma once

#include "sim/results/model.hpp"
#include "sim/worst/search.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace starport::worst {

/// A comparison on which an instance is searched where the algorithm under test does worst: that
/// algorithm and what it is compared with. Copies share the algorithms.
struct Contest {
  /// The algorithm whose worst case is searched. Its member `named` should be false, so that a
  /// platform without the memory for it is "not applicable" instead of an error.
  NamedAlgorithm tested;
  /// Algorithms of the same model as `tested`, to the best of which it is compared on each
  /// instance; empty: it is compared to the lower bound on the makespan of any schedule.
  std::vector<NamedAlgorithm> rivals = {};

  /// Returns what the algorithm under test is compared with, as text for users: "ODDOML", "the best
  /// of Het, BMM" or "the lower bound for any schedule".
  std::string opponent() const;
  /// Returns what the algorithm under test is compared with, as text for programs: "bound", or
  /// opponent().
  std::string against() const { return rivals.empty() ? "bound" : opponent(); }
};

/// Returns the function that simulates the algorithms of `contest` without noise by `model`, the
/// model of all of them, and returns for each instance its loss: the makespan of the algorithm
/// under test divided by the least one of the rivals or, without rivals, by the lower bound; larger
/// is worse. If the algorithm under test fails or is not applicable, Loss::ratio is 0 and
/// Loss::failure says why; if all rivals do, or the model has no bound, the ratio does not count
/// either. The bound is the value that the model reports as any_schedule_bound_s (stars) or
/// any_run_bound_s (tiles), otherwise the time that the product takes at balanced_speed_tflops.
/// Without rivals, the function throws InputError if an instance does not fit the model. `contest`
/// and `options` are copied; `model` must outlive the function.
Evaluate make_objective(const Contest& contest, const Model& model, const RunOptions& options);

/// Advances `search` to its end in up to `processes` (at least 1) child processes, and calls
/// `on_round` in this process after each round (part of a search, of up to 672 evaluations).
/// Returns true when the search is complete, and false when `should_continue`, called several times
/// a second, returned false. Throws SimulationError, with the reason, if a child process dies, as
/// when `evaluate` throws, and MachineError if no process can be created; exceptions of the last
/// two arguments, which must not be empty, pass through. After false or an exception, a round under
/// way is lost and the search at the end of the one before; the function may be called again. Call
/// it from a process with one thread, since it forks.
bool run_search(Search& search, const Evaluate& evaluate, int processes,
                const std::function<bool()>& should_continue,
                const std::function<void(const Search&)>& on_round);

}  // namespace starport::worst
