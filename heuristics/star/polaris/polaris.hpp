// Polaris, a heuristic of our own that searches a larger space of schedules than those that keep
// square chunks of C (heuristics/star/polaris/README.md).
#pragma once

#include "heuristics/star/polaris/rivals.hpp"
#include "heuristics/star/polaris/tiling.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport::polaris {

/// The features of the search and of its schedules, an argument of search(). All are enabled by
/// default; each can be disabled to measure its value.
struct Features {
  /// True to allow modes in which A or B stays in a worker's memory; false for modes that keep C
  /// only.
  bool resident = true;
  /// True to allow transposed modes, which exchange rows with columns and A with B.
  bool exchanged = true;
  /// True to allow a row of B to be sent in several messages.
  bool cut_messages = true;
  /// True to let workers accumulate from zero and receive and add their blocks of C later.
  bool late_c = true;
  /// True to let columns of C join the window in a worker's memory gradually instead of all at
  /// once.
  bool staggered = true;
  /// True to allow tilings (divisions of C) with several strips.
  bool strips = true;
  /// True to improve tilings by random changes according to their estimated makespan.
  bool annealing = true;
  /// True to improve the best schedule by random changes according to its simulated makespan.
  bool climbing = true;
};

/// Limits of one search, in operations instead of seconds, so that its result does not depend on
/// the machine's speed.
struct SearchBudget {
  /// Number of initial tilings, at least 1 (0: nothing is searched).
  std::size_t tilings;
  /// Approximate number of rectangles whose cost may be estimated while annealing; reduced for
  /// small products.
  std::int64_t estimates;
  /// Number of transfers that may be simulated, at least 1. A transfer of a tiling with n
  /// rectangles counts as (8 + n) / 8 transfers. The first schedule is simulated whatever the
  /// limit.
  std::int64_t transfers;
  /// Number of schedules that may be simulated while climbing; reduced for small products.
  std::int64_t trials;
};

/// The best schedule that search() found, or none. Owns all its data.
struct SearchResult {
  /// The tiling of C, the options of the schedule, and its makespan in simulated seconds. If no
  /// schedule was found, the makespan is kUnknown (infinity) and the tiling has no strips.
  Candidate candidate;
  /// The rectangle and mode of each enrolled worker; empty if no schedule was found.
  std::vector<RectangleTask> tasks = {};
  /// The order of the transfers: for each, 2 * (index in `tasks`, from 0), plus 1 if it returns
  /// blocks of C to the master. Empty if no schedule was found.
  std::vector<std::uint32_t> order = {};
};

/// Searches for a schedule with one budget after the other and returns the best. Each search
/// continues from the results of the one before, so that more budgets never make the objective
/// worse. Plans for one port if the platform's port is one-port, otherwise for one port in each
/// direction. Without budgets, or with one if no worker has the memory (three blocks at least), the
/// makespan of the result is kUnknown (infinity); with several, some worker must have that memory,
/// else the behaviour is undefined. Blocks for a time that grows with the budgets. The same
/// arguments give the same result on every machine. Keeps no reference to its arguments.
SearchResult search(const Platform& platform, const Problem& problem,
                    const std::vector<SearchBudget>& budgets, std::uint64_t seed,
                    Objective objective, const Features& parts);

/// Effort of the search, the parameter `effort` of Polaris: `low` (one SearchBudget), `normal`
/// (two) or `high` (three). Each level includes the searches of the lower ones and simulates many
/// times more transfers.
enum class Level { low, normal, high };

/// Options of the heuristic Polaris, as the user gives them; an argument of plan().
struct Parameters {
  /// Effort of the search.
  Level level = Level::normal;
  /// Seed of the random numbers of the search.
  std::uint64_t seed = 1;
  /// The quantity to minimise: makespan, or makespan x enrolled workers.
  Objective objective = Objective::time;
  /// The feature to disable, to measure its value; nullopt: none.
  std::optional<bool Features::*> without;
};

/// Makes the plan of Polaris, for a master with one port or with one in each direction: divides C
/// into one rectangle per enrolled worker, chooses the mode of each and orders the messages by
/// simulating the port. Returns the plan of one of `rivals` (whose heuristics must not be null)
/// instead if that is better. Some worker must have memory for three blocks, otherwise the
/// behaviour is undefined, and the port must not be multi-port, on which a rival makes it throw
/// SimulationError; Heuristic::plan() checks both. Passes on what rivals throw, except InputError.
/// Blocks for the whole search. The same arguments give the same schedule on every machine.
/// `rivals` may end before the plan; the platform and the problem must outlive it.
Plan plan(const Parameters& parameters, const std::vector<Rival>& rivals, const Platform& platform,
          const Problem& problem);

}  // namespace starport::polaris
