// Choice of ZoneGrowth's parameters by simulated runs (see README.md).
#pragma once

#include "heuristics/tiles/zone_growth.hpp"

#include <cstddef>
#include <memory>

namespace starport::tiles {

/// The strategy for tile tasks that choose_by_trials() found best in trial simulations: ZoneGrowth
/// with the parameters that the members hold, or a TimelyList instead. A plain value.
struct TrialChoice {
  /// Parameters of the best trial of ZoneGrowth: of those that take little longer than the fastest,
  /// the one that moves the fewest tiles (see choose_by_trials()). To be used if `list_candidates`
  /// is 0.
  ZoneGrowth::Parameters parameters{};
  /// If above 0, a TimelyList that chooses among so many ready tasks (kAllTasks: all) is to be used
  /// instead of ZoneGrowth; 0: ZoneGrowth is.
  std::size_t list_candidates = 0;
};

/// Simulates about a dozen runs of ZoneGrowth, without noise, with several numbers of open tiles
/// and of planned tasks (those of `base` and others), with the options of the run-time system of
/// `context`, and with the durations that ZoneGrowth assumes by `base.uncertainty` and the seed of
/// `context`. Returns the parameters of one of them: of the runs that take at most `slower` (a
/// share; less than 0.005 counts as 0.005) longer than the fastest, the one that moves the fewest
/// tiles. If `slower` allows that much, runs that leave the slowest GPUs idle are among them;
/// `base.idle_gpus` is ignored. If `slower` is 0 and a TimelyList is faster than that run by more
/// than 2 % and moves at most a fifth more tiles, the result asks for the TimelyList
/// (`list_candidates`). If the platform has no GPUs or the product has more than 40,000 tasks,
/// simulates nothing and returns all of `base`, with its `idle_gpus`. Otherwise throws
/// SimulationError if a run cannot end, for instance because a GPU has too little memory, and
/// InputError if no GPU has a worker.
TrialChoice choose_by_trials(const StrategyContext& context, const ZoneGrowth::Parameters& base,
                             double slower);

/// Runs choose_by_trials() with these arguments and makes the strategy that it chose, a ZoneGrowth
/// or a TimelyList, for one run; never null. The objects that `context` refers to must outlive the
/// strategy. Throws SimulationError if a simulated run cannot end, for instance because a GPU has
/// too little memory, and InputError if there are GPUs, but none has a worker, or if
/// `base.idle_gpus` is too large for ZoneGrowth and nothing is simulated (more than 40,000 tasks or
/// no GPUs).
std::unique_ptr<Strategy> make_by_trials(const StrategyContext& context,
                                         const ZoneGrowth::Parameters& base, double slower);

}  // namespace starport::tiles
