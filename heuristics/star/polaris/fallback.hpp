// The best of other heuristics, where it is better than a schedule at hand.
#pragma once

#include "heuristics/star/heuristic.hpp"
#include "heuristics/star/polaris/chunk_bound.hpp"
#include "heuristics/star/polaris/shortlist.hpp"

#include <memory>
#include <string>
#include <vector>

namespace starport::polaris {

/// A heuristic of chunks.
struct Rival {
  std::string name;
  std::shared_ptr<const Heuristic> heuristic;
  Panels panels = Panels::any;
};

/// The best rival by the objective; nullptr when none of them has a makespan, or a makespan x
/// enrolled workers, below `to_beat_s`. Those that cannot, by a bound, are not planned, and runs
/// are given up when they are no better any more.
const Rival* best_rival(const std::vector<Rival>& rivals, const Platform& platform,
                        const Problem& problem, Objective objective, double to_beat_s);

}  // namespace starport::polaris
