// Polaris: schedules of a larger space than that of chunks (heuristics/star/polaris/README.md).
#pragma once

#include "heuristics/star/polaris/fallback.hpp"
#include "heuristics/star/polaris/tiling.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport::polaris {

/// The parts of the search and of its schedules, each of which can be left out for comparisons.
struct Parts {
  bool resident = true;      ///< else C-stationary only
  bool exchanged = true;     ///< with rows and columns, A and B exchanged too
  bool cut_messages = true;  ///< a row of B in several messages
  bool late_c = true;        ///< accumulators that start from zero
  bool staggered = true;     ///< else C joins the window all at once
  bool strips = true;        ///< else one strip only
  bool annealing = true;
  bool climbing = true;  ///< changing the best schedule step by step
};

struct Effort {
  std::size_t tilings;     ///< to start from
  std::int64_t estimates;  ///< rectangles looked at while annealing
  std::int64_t transfers;  ///< served while trying
  std::int64_t trials;     ///< schedules tried by changing one
};

struct Found {
  Candidate candidate;  ///< of an infinite makespan when there is none
  std::vector<Task> tasks = {};
  std::vector<std::uint32_t> order = {};  ///< as in ServedTasks
};

/// Searches with one effort after the other, each from what the one before has found, so that more
/// of them never make the objective worse.
Found search(const Platform& platform, const Problem& problem, const std::vector<Effort>& efforts,
             std::uint64_t seed, Objective objective, const Parts& parts);

enum class Level { low, normal, high };

struct Parameters {
  Level level = Level::normal;
  std::uint64_t seed = 1;
  Objective objective = Objective::time;
  std::optional<bool Parts::*> without;  ///< a part left out
};

/// Cuts C into rectangles, one for each enrolled worker, chooses how each is done, and orders the
/// messages by a simulation of the port; runs a rival where that is better. The same seed gives the
/// same schedule on every machine.
Plan plan(const Parameters& parameters, const std::vector<Rival>& rivals, const Platform& platform,
          const Problem& problem);

}  // namespace starport::polaris
