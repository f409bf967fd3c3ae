// From first layouts to a good one: annealing by the estimate, then by served schedules.
#pragma once

#include "heuristics/star/polaris/shortlist.hpp"

#include <cstdint>
#include <vector>

namespace starport::polaris {

/// What it does without, for comparisons.
struct Without {
  ModeChoice modes;
  bool late_c = false;
  bool staggered = false;  ///< C joins the window all at once
  bool strips = false;     ///< one strip only
  bool annealing = false;
  bool climbing = false;  ///< changing the best schedule step by step
};

struct Effort {
  std::size_t layouts = 6;             ///< to start from
  std::int64_t estimates = 200'000;    ///< rectangles looked at while annealing
  std::int64_t transfers = 8'000'000;  ///< served while trying
  std::int64_t trials = 10'000;        ///< schedules tried by changing one
};

/// Searches with one effort after the other, each from what the one before has found, so that more
/// of them never make the objective worse. The makespan is infinite when nothing was found.
Candidate search(const Platform& platform, const Problem& problem,
                 const std::vector<Effort>& efforts, std::uint64_t seed, Objective objective,
                 const Without& without = {});

}  // namespace starport::polaris
