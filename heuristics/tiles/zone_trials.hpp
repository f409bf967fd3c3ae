// Choice of ZoneGrowth's parameters by simulated runs (see README.md).
#pragma once

#include "heuristics/tiles/zone_growth.hpp"

namespace starport::tiles {

/// Simulates runs with several numbers of open tiles and of planned tasks, without noise, on a
/// machine with the durations that `base` makes ZoneGrowth assume and with the options of the
/// run-time system of `context`. Returns the parameters of one of them: of the runs that take at
/// most `slower` (a share, at least 0) longer than the fastest, the one that moves the fewest
/// tiles. If `slower` allows that much, runs that leave the slowest GPUs idle are among them.
/// Returns `base` on a platform without GPUs and for a product of more than 40,000 tasks.
/// Exceptions of the simulation pass through.
ZoneGrowth::Parameters choose_by_trials(const StrategyContext& context,
                                        const ZoneGrowth::Parameters& base, double slower);

}  // namespace starport::tiles
