// Polaris, a heuristic of our own that searches a larger space of schedules than those that keep
// square chunks of C (heuristics/star/polaris/README.md).
#pragma once

#include "heuristics/star/polaris/options.hpp"
#include "heuristics/star/polaris/rivals.hpp"
#include "heuristics/star/polaris/tiling.hpp"
#include "sim/star/metrics.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace starport::polaris {

/// Limits of one search for a schedule, in operations instead of seconds, so that its result does
/// not depend on the machine's speed.
struct SearchBudget {
  /// Largest number of initial tilings (divisions of C among workers) to start from, at least 1
  /// (with 0 in the first budget, no schedule is found).
  std::size_t tilings;
  /// Approximate number of rectangles of C whose cost may be estimated while annealing (improving
  /// tilings by their estimated makespan) in one pass of the search; passes with tight buffers or
  /// among other workers (Features) count anew. search() reduces it if C has r x s blocks with
  /// (r + s)^2 < 20,000, in proportion.
  std::int64_t estimates;
  /// Approximate number of transfers that may be simulated in one pass of the search, at least 1,
  /// weighted by weigh_transfers(); passes with tight buffers or among other workers (Features)
  /// count anew. The first schedule is simulated whatever the limit.
  std::int64_t transfers;
  /// Number of schedules that may be simulated in one climb (improving a schedule by random
  /// changes, by its simulated makespan), of which a search may make several; search() reduces it
  /// if C has r x s blocks with (r + s)^2 < 2,000, in proportion.
  std::int64_t trials;
};

/// Converts a number of simulated transfers to the weighted number that SearchBudget::transfers
/// limits: transfers x (8 + rectangles) / 8, rounded down, where `rectangles` is the number of
/// tasks (one worker's rectangle of C each) of the schedules. The product must be less than 2^63
/// (not checked).
inline std::int64_t weigh_transfers(std::int64_t transfers, std::size_t rectangles) {
  return transfers * static_cast<std::int64_t>(8 + rectangles) / 8;
}

/// The best schedule that search() found, as tiling, tasks and order of transfers; none if
/// candidate.makespan_s is kUnknown. Owns all its data.
struct SearchResult {
  /// The tiling (division of C among workers), the options of the schedule, and its makespan in
  /// simulated seconds. If no schedule was found, the makespan is kUnknown (infinity) and the
  /// tiling has no strips.
  Candidate candidate;
  /// The rectangle of C and the mode (which matrix stays in memory) of each enrolled worker (one
  /// that takes part), in the order of the tiling, strip by strip; empty if no schedule was found.
  std::vector<RectangleTask> tasks = {};
  /// The order of the transfers of the schedule: for each, 2 * (index in `tasks`, from 0), plus 1
  /// if it returns blocks of C to the master. Empty if no schedule was found.
  std::vector<std::uint32_t> order = {};
};

/// Searches for a schedule with one budget (limit on the number of operations) after the other and
/// returns the best by `objective`: makespan, or makespan x enrolled workers (those that take
/// part). Each search continues from the results of the one before, so that more budgets never make
/// the objective worse; a budget of fewer transfers than the search before has simulated is
/// skipped. The makespan of the result is kUnknown (infinity) if no schedule is found: without
/// budgets, if no worker has memory for three blocks (five without features.tight_buffers), and
/// sometimes if there are more workers than blocks of C or, without features.strips, than block
/// rows and block columns of C. The platform must have a worker (not checked: undefined behaviour).
/// Blocks for a time that grows with the budgets. The same arguments give the same result on every
/// machine. Keeps no reference to its arguments.
SearchResult search(const Platform& platform, const Problem& problem,
                    const std::vector<SearchBudget>& budgets, std::uint64_t seed,
                    Objective objective, const Features& features);

/// Effort of the search, the parameter `effort` of Polaris: `low` (one SearchBudget), `normal`
/// (two) or `high` (three). Each level includes the searches of the lower ones and simulates many
/// times more transfers.
enum class Level { low, normal, high };

/// Options of the heuristic Polaris, as the user gives them; an argument of plan() and
/// plan_split_k().
struct Parameters {
  /// Effort of the search for a schedule: low, normal or high; each level includes the searches of
  /// the lower ones and simulates many times more transfers.
  Level level = Level::normal;
  /// Seed of the random numbers of the search for a schedule; the same seed gives the same
  /// schedule.
  std::uint64_t seed = 1;
  /// True to make a plan that decides the order of transfers during the run, and gives to others
  /// what slow workers have not begun and stopped ones have not returned; false to fix the order
  /// before the run, unless the plan of a rival that adapts (Rival::adapts) is better. For masters
  /// with one port; on others Heuristic::plan() throws NotApplicable.
  bool adapt = false;
  /// True to also try schedules in which several workers share the updates of a block of C and
  /// return partial sums of it. Decides whether the registered heuristic calls plan_split_k(),
  /// which throws NotApplicable if `adapt` is true, instead of plan(); both functions ignore it.
  bool split_k = false;
  /// The quantity to minimise: `time`, the makespan, or `work`, makespan x enrolled workers (those
  /// that take part).
  Objective objective = Objective::time;
  /// The feature of the search to disable, to measure its value, as a pointer to a member of
  /// Features; nullopt: none.
  std::optional<bool Features::*> without;
};

/// Makes the plan of Polaris for the master's port: divides C into one rectangle per enrolled
/// worker, chooses the mode of each (which matrix stays in its memory) and orders the messages by
/// simulating the port. Returns the plan of one of `rivals` (other heuristics, not null) instead if
/// that is better by parameters.objective (makespan, or makespan x enrolled workers). Beyond
/// Level::low and on one port, also tries the rivals on some of the workers; a plan of this kind
/// replays its transfers in a fixed order. With parameters.adapt, returns no plan of a rival that
/// does not adapt to the run (Rival::adapts) or is on some of the workers; instead, if the best
/// rival is better than Polaris, also tries its division of C. Skips rivals that throw InputError,
/// such as for lack of memory; other exceptions of rivals pass. Some worker must have memory for
/// three blocks (otherwise the behaviour is undefined), and with parameters.adapt the master one
/// port: Heuristic::plan() checks both. A run throws SimulationError if a worker stops (noise) that
/// a later transfer needs; if the plan adapts to the run (Plan::adapts), only if no worker is left
/// that can compute the rest of C. Blocks for the whole search. The same arguments give the same
/// schedule on every machine. `rivals` may end before the plan; the platform and the problem must
/// outlive it.
Plan plan(const Parameters& parameters, const std::vector<Rival>& rivals, const Platform& platform,
          const Problem& problem);

/// Searches as plan() and returns a function that makes the plan, each time a new one without
/// another search. Preconditions and exceptions are those of plan(). The platform and the problem
/// must outlive the function and its plans, `rivals` may end before.
std::function<Plan()> make_planner(const Parameters& parameters, const std::vector<Rival>& rivals,
                                   const Platform& platform, const Problem& problem);

/// Makes the plan of plan(), searches for a better one that splits k (each of several parts of k is
/// computed by workers of its own, which return partial sums of C for the master to add up;
/// sim/star/split_k.md), and returns the better one by parameters.objective (makespan, or makespan
/// x enrolled workers): that of plan() if they are equal, or if either has more than kMaxReplayed
/// transfers. The result replays its transfers in a fixed order, so that a run throws
/// SimulationError if a worker stops (noise) that a later transfer needs; only a plan of plan() is
/// returned unchanged if it adapts to the run, has more than kMaxReplayed transfers, or is for a
/// master that is not one-port. Takes up to a few times as long as plan(). Throws NotApplicable
/// with parameters.adapt. Some worker must have memory for three blocks, otherwise the behaviour is
/// undefined. `rivals` may end before the plan; the platform and the problem must outlive it.
Plan plan_split_k(const Parameters& parameters, const std::vector<Rival>& rivals,
                  const Platform& platform, const Problem& problem);

/// Largest number of transfers of a schedule that is stored to be replayed, which take some 500 MB.
/// record() returns nullopt for longer schedules; plan_split_k() does not use longer ones that
/// split k (several workers share the updates of a block of C).
inline constexpr std::size_t kMaxReplayed = 4'000'000;
/// A simulated schedule that can be replayed: its transfers in their order, and its metrics. Made
/// by record(); owns its data.
struct Recording {
  /// The transfers of the schedule in the order in which its dispatcher decided them, at most
  /// kMaxReplayed.
  std::vector<Transfer> transfers;
  /// The makespan, the number of enrolled workers (those that take part) and the other metrics of
  /// the schedule.
  Metrics metrics;
};
/// Simulates, without noise, the schedule of a dispatcher (which must not have decided anything
/// yet, and cannot be used again) and returns its transfers, in the order in which they were
/// decided, and its metrics; nullopt if it has more than kMaxReplayed transfers. Throws
/// SimulationError on a transfer with a worker or an update that does not exist, or if the
/// dispatcher waits although nothing can change or until a date that is not in the future;
/// exceptions of the dispatcher pass through. Does not check that all of C is computed.
std::optional<Recording> record(Dispatcher& dispatcher, const Platform& platform,
                                const Problem& problem);

}  // namespace starport::polaris
