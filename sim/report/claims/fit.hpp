// The work of `starport fit`: runs many campaigns in parallel and reports how
// the claims fare in them.
#pragma once

#include "sim/report/claims/campaign.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace starport::fit {

/// Returns all campaigns (runs of a sweep specification with other parameter values), best first:
/// those in which more claims (statements of a paper) hold, then those whose numbers miss the
/// claims by less (total_deviation()), then those of lower number. The pointers refer to the
/// elements of `campaigns` and are valid until these are removed. An empty map gives an empty list.
/// No campaign may have more values than there are claims (not checked: undefined behaviour).
std::vector<const Campaign*> rank(const Claims& claims, const Campaigns& campaigns);

/// Settings for running campaigns (complete runs of a sweep specification) in parallel, in forked
/// worker processes that send each finished campaign to the parent, which writes it to a file.
/// Refers to the claims and the file; both must outlive it, and the file must be open
/// (CampaignFile::resume() or create()).
struct CampaignPool {
  /// Claims, i.e. statements of a paper, that the campaigns are evaluated on; not owned.
  const Claims& claims;
  /// CSV file that receives a row per finished campaign (run of the sweep specification); not
  /// owned, opened by the caller with resume() or create().
  CampaignFile& file;
  /// Number of worker processes, at least 1 (not checked); fewer are forked if fewer campaigns are
  /// missing.
  int processes;
  /// Time limit of each campaign (run of the sweep specification) in wall-clock seconds, after
  /// which its process is killed; 0: no limit.
  double time_limit_s;
  /// Function that run_missing() calls in the parent process whenever a campaign is complete, with
  /// the number of campaigns that its argument `campaigns` then has. Must not be empty; its
  /// exceptions pass through run_missing().
  std::function<void(std::int64_t done)> show_progress;

  /// Runs the campaigns with numbers from `first` to `last` (both included) that `campaigns` lacks,
  /// adds them to it, and appends them to the file in the order in which they end; none if last <
  /// first. `run` runs the campaign of a number, which its result must have, in a worker process,
  /// where its changes to memory are lost; an exception thrown by it ends that process. Blocks
  /// until all are done. A campaign whose process dies or exceeds the time limit is run once more,
  /// after the others. Throws SimulationError if that happens again, after all campaigns (the
  /// others are in the map and the file), MachineError if no process can be created, InputError if
  /// the file cannot be written. Call it from a process with one thread, since it forks.
  void run_missing(Campaigns& campaigns, std::int64_t first, std::int64_t last,
                   const std::function<Campaign(std::int64_t number)>& run) const;
};

/// Budget of a search for calibrations (values of the parameters that a paper does not give), and
/// its seed. The search runs `drawn` campaigns, the first with the unchanged specification and the
/// others with random calibrations, then `refined` campaigns, in rounds of 50, with calibrations
/// near the best ones so far. A plain value.
struct SearchBudget {
  /// Number of campaigns in the first phase of the search: the unchanged specification (campaign 1)
  /// and random calibrations, i.e. parameter values. At least 2 if `refined` is positive (not
  /// checked: undefined behaviour).
  std::int64_t drawn = 1000;
  /// Number of campaigns in the second phase of the search, with calibrations (parameter values)
  /// near the best ones; 0: none.
  std::int64_t refined = 1000;
  /// Seed of all random choices of the search; equal seeds give equal calibrations (parameter
  /// values).
  std::uint64_t seed = 1;
  /// Number of calibrations (parameter values) that the second phase of the search tries before it
  /// ranks all campaigns again.
  static constexpr std::int64_t kRoundSize = 50;

  /// Returns the number of campaigns in both phases of the search together: drawn + refined.
  std::int64_t total() const { return drawn + refined; }
};

/// Searches for calibrations (values of `parameters`) under which the most of pool.claims
/// (statements of a paper about the results) hold. Runs the campaigns (runs of the specification
/// under one calibration) 1 to budget.total() that `campaigns` lacks, and adds them to it; blocks
/// until they are done. Then replaces the pool's file by all of `campaigns`; nothing must be
/// appended to pool.file afterwards, so do not call this function again with it. The result depends
/// on the seed, not on the number of processes nor on interruptions. `runner` must be made for
/// `specification` and pool.claims, without cache_fixed_instances(), and pool.file for pool.claims
/// and `parameters`; `parameters` must not be empty, and budget.drawn must be at least 2 if
/// budget.refined is positive (not checked: undefined behaviour).
///
/// Runs a campaign whose worker process dies or exceeds the time limit once more, after the others.
/// Throws SimulationError if that fails again; MachineError if no process can be created;
/// InputError if the file cannot be written. Finished campaigns stay in `campaigns` and the file
/// then. Call it from a process with one thread, since it forks.
void search_calibrations(const Specification& specification,
                         const std::vector<Parameter>& parameters, const CampaignRunner& runner,
                         const SearchBudget& budget, const CampaignPool& pool,
                         Campaigns& campaigns);

/// The random changes that `starport fit` with --platforms, --within or --runs makes from one
/// campaign (complete run of a sweep specification) to the next, to show how sensitive the claims
/// (statements of a paper about the results) are to them. By default nothing changes. A plain
/// value.
struct Variation {
  /// True to draw the random platforms of the sweep specification again in each campaign (run of
  /// it) except campaign 1.
  bool redraw_platforms = false;
  /// Largest relative change of the platforms, from 0 to less than 1: in each campaign, also the
  /// first, the bandwidths of all workers on all platforms are multiplied by one random factor from
  /// 1 - share to 1 + share, their speeds by another and their memories by a third. 0: no change.
  double platform_share = 0;
  /// Largest relative difference between the makespans of two equal runs, as repeated runs on real
  /// machines differ, at least 0: each makespan is multiplied by a random factor from (1 +
  /// share)^-1/2 to (1 + share)^1/2. 0: no change.
  double run_share = 0;
  /// Seed of all random changes; equal seeds give equal campaigns.
  std::uint64_t seed = 1;
};
/// Runs the campaigns 1 to `count` of a variation (runs of the specification with random changes)
/// that `campaigns` lacks, and adds them to it; blocks until they are done. Then replaces the
/// pool's file by all of `campaigns`; nothing must be appended to pool.file afterwards, so do not
/// call this function again with it. The result depends on variation.seed, not on the number of
/// processes. `runner` must be made for `specification` and pool.claims (statements of a paper
/// about the results), and pool.file for pool.claims and no parameters;
/// runner.cache_fixed_instances() may have been called only if variation.platform_share and
/// variation.run_share are both 0.
///
/// Runs a campaign whose worker process dies or exceeds the time limit once more, after the others.
/// Throws SimulationError if that fails again; MachineError if no process can be created;
/// InputError if the file cannot be written. Finished campaigns stay in `campaigns` and the file
/// then. Call it from a process with one thread, since it forks.
void run_variations(const Specification& specification, const CampaignRunner& runner,
                    const Variation& variation, std::int64_t count, const CampaignPool& pool,
                    Campaigns& campaigns);

/// Runs the sweep specification unchanged (campaign 1), then once for each other reading of each
/// parameter (campaigns 2, 3, ...), in their order, with all other parameters unchanged. A reading
/// is one of several interpretations of a paper's text. Skips the campaigns that `campaigns` has,
/// adds the others to it, and blocks until they are done. Appends each to pool.file as it ends, and
/// finally replaces that file by all of `campaigns`, ordered by number. Afterwards pool.file must
/// not be used again, neither to append to it nor for another call.
///
/// All parameters must be readings (Parameter::is_reading(); InputError otherwise). `runner` must
/// be made for `specification` and pool.claims (statements of a paper about the results), without
/// cache_fixed_instances(), and pool.file for pool.claims and `parameters`. Call it from a process
/// with one thread, since it forks.
///
/// Runs a campaign whose worker process dies or exceeds the time limit once more, after the others.
/// Throws SimulationError if that fails again; MachineError if no process can be created;
/// InputError if the file cannot be written, if the specification uses none of the readings of a
/// parameter, or several, or if a campaign in `campaigns` has other readings than that of its
/// number. The campaigns that have ended stay in `campaigns` and in the file then.
void run_other_readings(const Specification& specification,
                        const std::vector<Parameter>& parameters, const CampaignRunner& runner,
                        const CampaignPool& pool, Campaigns& campaigns);

/// Reports the campaigns of search_calibrations() as Markdown, ending in a newline: the best
/// calibration (parameter values), how far each parameter spreads over the best ones (in which at
/// most one claim less holds than in the best), and the claims that do not hold in the best one.
/// `claims` and `parameters` must be those of the campaigns. Requires at least one campaign with a
/// calibration (undefined behaviour otherwise); throws std::out_of_range without campaign 1.
std::string search_report(const Claims& claims, const std::vector<Parameter>& parameters,
                          const Campaigns& campaigns);

/// Reports the campaigns of run_other_readings() as Markdown, a table with one row per campaign,
/// ending in a newline: how many claims hold with its reading (interpretation of the paper), and
/// which ones hold in it but not in campaign 1, the unchanged specification, or the other way
/// round. `claims` and `parameters` must be those of the campaigns (undefined behaviour otherwise).
/// Throws std::out_of_range without campaign 1.
std::string readings_report(const Claims& claims, const std::vector<Parameter>& parameters,
                            const Campaigns& campaigns);

/// Reports the campaigns of run_variations() as Markdown, ending in a newline: how many claims hold
/// per campaign, and a table that has for each claim the percentiles (5, 50, 95) of the number that
/// the campaigns give for it and the share of campaigns in which it holds. Requires at least one
/// campaign, and `claims` must be those of the campaigns (undefined behaviour otherwise).
std::string variation_report(const Claims& claims, const Campaigns& campaigns);

}  // namespace starport::fit
