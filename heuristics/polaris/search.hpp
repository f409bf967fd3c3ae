// From first layouts to a good one: annealing by the estimate, then by served schedules.
#pragma once

#include "heuristics/polaris/estimate.hpp"
#include "heuristics/polaris/moves.hpp"

#include <cstdint>

namespace starport::polaris {

struct Candidate {
  Layout layout;
  PortOptions options;
  double makespan_s = 0;
};

struct Effort {
  std::size_t layouts = 6;             ///< to start from
  std::int64_t estimates = 100'000;    ///< rectangles looked at while annealing
  std::int64_t transfers = 3'000'000;  ///< served while trying
};

enum class Objective {
  time,  ///< the makespan; among those within 1%, the fewest enrolled workers
  work   ///< makespan x enrolled workers
};

/// The best found. Its makespan is infinite when nothing was, or, for `Objective::time`, nothing at
/// most `limit_s`.
Candidate search(const Platform& platform, const Problem& problem, const Effort& effort,
                 std::uint64_t seed, Objective objective, double limit_s);

}  // namespace starport::polaris
