// Polaris, a heuristic of our own that searches a larger space of schedules than those that keep
// square chunks of C (heuristics/star/polaris/README.md).
#pragma once

#include "heuristics/star/polaris/rivals.hpp"
#include "heuristics/star/polaris/tiling.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport::polaris {

/// The features of the search and of its schedules, each of which can be disabled to measure its
/// value.
struct Features {
  bool resident = true;      ///< modes that keep A or B resident; otherwise only C-stationary ones
  bool exchanged = true;     ///< transposed modes, which exchange rows with columns and A with B
  bool cut_messages = true;  ///< send a row of B in several messages
  bool late_c = true;        ///< accumulate from zero and add C later
  bool staggered = true;     ///< columns of C join the window gradually, not all at once
  bool strips = true;        ///< tilings with several strips
  bool annealing = true;     ///< improve tilings by their estimated makespan
  bool climbing = true;      ///< improve the best schedule step by step by its simulated makespan
};

/// Limits of one search, in operations, so that the result does not depend on the machine's speed.
struct SearchBudget {
  std::size_t tilings;     ///< number of initial tilings
  std::int64_t estimates;  ///< estimated rectangles while annealing
  std::int64_t transfers;  ///< simulated transfers
  std::int64_t trials;     ///< schedules simulated while climbing
};

/// The best schedule that a search found.
struct SearchResult {
  Candidate candidate;  ///< its makespan is kUnknown if no schedule was found
  std::vector<RectangleTask> tasks = {};
  std::vector<std::uint32_t> order = {};  ///< see ServedSchedule::order
};

/// Searches for a schedule with one budget after the other. Each search continues from the results
/// of the one before, so that more budgets never make the objective worse.
SearchResult search(const Platform& platform, const Problem& problem,
                    const std::vector<SearchBudget>& budgets, std::uint64_t seed,
                    Objective objective, const Features& parts);

/// Values of the parameter `effort`.
enum class Level { low, normal, high };

/// Parameters of Polaris.
struct Parameters {
  Level level = Level::normal;
  std::uint64_t seed = 1;
  Objective objective = Objective::time;
  std::optional<bool Features::*> without;  ///< a feature to disable
};

/// Plans a schedule: divides C into one rectangle per enrolled worker, chooses the mode of each and
/// orders the messages by simulating the port. Returns the plan of one of `rivals` instead if that
/// is better. The same seed gives the same schedule on every machine.
Plan plan(const Parameters& parameters, const std::vector<Rival>& rivals, const Platform& platform,
          const Problem& problem);

}  // namespace starport::polaris
