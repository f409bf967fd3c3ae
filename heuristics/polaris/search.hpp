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
  std::size_t layouts = 6;           ///< to start from
  std::int64_t estimates = 100'000;  ///< rectangles looked at while annealing
  std::int64_t transfers = 3'000'000;  ///< served while trying
};

/// The best found; its makespan is infinite when nothing was.
Candidate search(const Platform& platform, const Problem& problem, const Effort& effort,
                 std::uint64_t seed);

}  // namespace starport::polaris
