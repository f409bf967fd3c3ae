// The best of the seven heuristics of PPoPP'08, where it is better than a schedule at hand.
#pragma once

#include "heuristics/star/polaris/shortlist.hpp"
#include "heuristics/star/registry.hpp"

namespace starport::polaris {

/// The best of the seven by the objective; nullptr when none of them has a makespan, or a makespan
/// x enrolled workers, below `to_beat_s`. Those that cannot, by a bound, are not planned, and runs
/// are given up when they are no better any more.
const HeuristicEntry* best_of_the_seven(const Platform& platform, const Problem& problem,
                                        Objective objective, double to_beat_s);

}  // namespace starport::polaris
