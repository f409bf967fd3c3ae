// The work of `starport fit` and `starport vary`: runs many campaigns in parallel and reports how
// the claims fare in them.
#pragma once

#include "sim/report/claims/campaign.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace starport::fit {

/// Returns the campaigns, best first: more claims hold, then the smaller total deviation, then the
/// lower number. The pointers stay valid as long as `campaigns`.
std::vector<const Campaign*> rank(const Claims& claims, const Campaigns& campaigns);

/// Runs campaigns in worker processes and writes each to the file as it ends.
struct CampaignPool {
  const Claims& claims;
  CampaignFile& file;
  int processes;
  double time_limit_s;                                   ///< wall clock per campaign; 0: none
  std::function<void(std::int64_t done)> show_progress;  ///< called with the number of campaigns

  /// Adds the campaigns of the numbers `first` to `last` that `campaigns` lacks; `run` runs one, in
  /// a worker process. Throws SimulationError if a process dies or exceeds the time limit.
  void run_missing(Campaigns& campaigns, std::int64_t first, std::int64_t last,
                   const std::function<Campaign(std::int64_t number)>& run) const;
};

/// The number of calibrations that a search tries: first the specification unchanged and random
/// calibrations, then, in rounds, calibrations near the best ones so far.
struct SearchBudget {
  std::int64_t drawn = 1000;    ///< the unchanged specification included
  std::int64_t refined = 1000;  ///< near the best ones
  std::uint64_t seed = 1;
  static constexpr std::int64_t kRoundSize = 50;  ///< calibrations between two rankings

  std::int64_t total() const { return drawn + refined; }
};

/// Searches for calibrations under which the most claims hold: adds the missing campaigns to
/// `campaigns` and rewrites the pool's file with all of them. The result depends on the seed, not
/// on the number of processes nor on interruptions.
void search_calibrations(const Specification& specification,
                         const std::vector<Parameter>& parameters, const CampaignRunner& runner,
                         const SearchBudget& budget, const CampaignPool& pool,
                         Campaigns& campaigns);

/// The random changes that `starport vary` makes from one campaign to the next.
struct Variation {
  bool redraw_platforms = false;  ///< draw the random platforms again, except in campaign 1
  double platform_share = 0;      ///< bandwidth, speed and memory change by up to this share
  double run_share = 0;           ///< makespans differ by up to this share, as repeated runs do
  std::uint64_t seed = 1;
};
/// Runs the campaigns 1 to `count` of a variation: adds those that `campaigns` lacks and rewrites
/// the pool's file.
void run_variations(const Specification& specification, const CampaignRunner& runner,
                    const Variation& variation, std::int64_t count, const CampaignPool& pool,
                    Campaigns& campaigns);

/// Runs the specification unchanged, then with each other reading, one at a time. All parameters
/// must be readings. Throws InputError if the specification uses none of the readings of one.
void run_other_readings(const Specification& specification,
                        const std::vector<Parameter>& parameters, const CampaignRunner& runner,
                        const CampaignPool& pool, Campaigns& campaigns);

/// Reports a search as Markdown: the best calibration, how far each parameter spreads over the best
/// ones, and the claims that do not hold in the best one. There must be a campaign with a
/// calibration, and campaign 1.
std::string search_report(const Claims& claims, const std::vector<Parameter>& parameters,
                          const Campaigns& campaigns);

/// Reports run_other_readings() as Markdown: for each reading how many claims hold, and which ones
/// hold only with it or only without it.
std::string readings_report(const Claims& claims, const std::vector<Parameter>& parameters,
                            const Campaigns& campaigns);

/// Reports run_variations() as Markdown: how many claims hold per campaign, and percentiles of the
/// number of each claim.
std::string variation_report(const Claims& claims, const Campaigns& campaigns);

}  // namespace starport::fit
