#include "sim/report/claims/fit.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/random.hpp"
#include "sim/process/process_pool.hpp"
#include "sim/results/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

namespace starport::fit {
namespace {

/// Returns the sort key of rank(): smaller is better.
auto rank_key(const Claims& claims, const Campaign& campaign) {
  return std::tuple(-count_holding(claims, campaign.values),
                    total_deviation(claims, campaign.values), campaign.number);
}

/// Returns the random numbers of campaign `number` for one purpose, independent of all others.
Random random_for(std::uint64_t seed, const char* purpose, std::int64_t number) {
  return Random(seed_from_identity(fmt::format("{}\n{}\n{}", seed, purpose, number)));
}

Calibration random_calibration(const std::vector<Parameter>& parameters, Random random) {
  Calibration calibration;
  for (const Parameter& parameter : parameters) {
    calibration.push_back(parameter.value_at(random.real(0, 1)));
  }
  return calibration;
}

/// Draws a calibration near one of the best: with probability 1/2 each value comes from a second
/// one with probability 1/2; then one value and some others move by at most a random step of 0.3 %
/// to 30 % of their range.
Calibration refined_calibration(const std::vector<Parameter>& parameters,
                                const std::vector<const Campaign*>& best, Random random) {
  constexpr double smallest_step = 0.003;
  constexpr double largest_step = 0.3;
  const auto pick = [&] {
    // The product of two uniform numbers prefers the front of the list, the better ones.
    const double share = random.real(0, 1) * random.real(0, 1);
    return best[static_cast<std::size_t>(share * static_cast<double>(best.size()))];
  };
  const Campaign* first = pick();
  const Campaign* second = pick();
  const double crossing = random.real(0, 1) < 0.5 ? 0.5 : 0;
  const double step = smallest_step * std::pow(largest_step / smallest_step, random.real(0, 1));
  const auto always_moved = random.integer(0, static_cast<std::int64_t>(parameters.size()) - 1);
  Calibration calibration;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const Campaign* parent = random.real(0, 1) < crossing ? second : first;
    double fraction = parameter.fraction_of(parent->calibration[i]);
    const bool moved = static_cast<std::int64_t>(i) == always_moved || random.real(0, 1) < 0.3;
    const double direction = random.real(-1, 1);
    if (moved && !parameter.is_reading()) fraction += step * direction;
    // Readings have no order: a moved one is drawn again.
    if (moved && parameter.is_reading()) fraction = random.real(0, 1);
    calibration.push_back(parameter.value_at(fraction));
  }
  return calibration;
}

/// Multiplies bandwidth, speed and memory of all workers by one random factor each, within `share`
/// of 1.
void scale_platforms(Specification& specification, double share, Random random) {
  for (const char* field : {"bandwidth", "speed", "memory"}) {
    Override axis{.column = field, .field = field, .multiply = true};
    axis.values = {random.real(1 - share, 1 + share)};
    for (Experiment& experiment : specification.experiments) {
      experiment.overrides.push_back(axis);
    }
  }
}

/// Returns a perturbation that multiplies each makespan by a random factor from
/// [(1 + share)^-1/2, (1 + share)^1/2], so that two runs differ by at most `share`. `random` must
/// outlive it.
CampaignRunner::Perturbation makespan_noise(double share, Random& random) {
  return [share, &random](const SweepInstance&, Comparison& comparison) {
    for (Record& record : comparison.records) {
      const double factor = std::pow(1 + share, random.real(-0.5, 0.5));
      if (record.status != Status::ok) continue;
      record.figures.set(kMakespan, record.figures.real(kMakespan) * factor);
    }
    compute_relative_figures(comparison);
  };
}

}  // namespace

std::vector<const Campaign*> rank(const Claims& claims, const Campaigns& campaigns) {
  std::vector<std::pair<decltype(rank_key(claims, {})), const Campaign*>> keyed;
  for (const auto& [number, campaign] : campaigns) {
    keyed.emplace_back(rank_key(claims, campaign), &campaign);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<const Campaign*> order;
  for (const auto& entry : keyed) order.push_back(entry.second);
  return order;
}

void CampaignPool::run_missing(Campaigns& campaigns, std::int64_t first, std::int64_t last,
                               const std::function<Campaign(std::int64_t number)>& run) const {
  std::vector<std::int64_t> missing;
  for (std::int64_t number = first; number <= last; ++number) {
    if (campaigns.count(number) == 0) missing.push_back(number);
  }
  const auto number_of = [&](std::int64_t k) { return missing[static_cast<std::size_t>(k)]; };
  std::map<std::int64_t, std::string> lost;
  const PoolTasks pool{.run = [&](std::int64_t k) { return file.to_row(run(number_of(k))); },
                       .on_finished =
                           [&](std::int64_t k, std::string_view row) {
                             file.append(row);
                             campaigns[number_of(k)] = file.parse_row(row, number_of(k) + 1);
                             show_progress(std::ssize(campaigns));
                           },
                       .on_lost = [&](std::int64_t k, const std::string& why,
                                      FailureCause) { lost[number_of(k)] = why; },
                       .time_limit_s = time_limit_s,
                       .should_continue = [] { return true; }};
  for (int attempt = 0; attempt < 2 && !missing.empty(); ++attempt) {
    lost.clear();
    const auto count = std::ssize(missing);
    run_in_processes(count, static_cast<int>(std::min<std::int64_t>(processes, count)), pool);
    missing.clear();
    for (const auto& [number, why] : lost) missing.push_back(number);
  }
  if (lost.empty()) return;
  throw SimulationError(fmt::format("campaign {}: its process died twice: {}", lost.begin()->first,
                                    lost.begin()->second));
}

void search_calibrations(const Specification& specification,
                         const std::vector<Parameter>& parameters, const CampaignRunner& runner,
                         const SearchBudget& budget, const CampaignPool& pool,
                         Campaigns& campaigns) {
  constexpr std::size_t most_parents = 20;
  const auto run = [&](std::int64_t number, Calibration calibration) {
    Campaign campaign{.number = number, .calibration = std::move(calibration)};
    campaign.values =
        runner.run(apply_calibration(specification, parameters, campaign.calibration));
    return campaign;
  };
  pool.run_missing(campaigns, 1, budget.drawn, [&](std::int64_t number) {
    if (number == 1) return run(1, {});
    return run(number, random_calibration(parameters, random_for(budget.seed, "drawn", number)));
  });
  for (std::int64_t done = budget.drawn; done < budget.total(); done += SearchBudget::kRoundSize) {
    // Only the campaigns before this round count, even if later ones exist: -j and --resume must
    // not change the result.
    const Campaigns earlier(campaigns.begin(), campaigns.upper_bound(done));
    std::vector<const Campaign*> best = rank(pool.claims, earlier);
    std::erase_if(best, [](const Campaign* campaign) { return campaign->calibration.empty(); });
    best.resize(std::min(best.size(), most_parents));
    pool.run_missing(campaigns, done + 1, std::min(done + SearchBudget::kRoundSize, budget.total()),
                     [&](std::int64_t number) {
                       return run(number,
                                  refined_calibration(parameters, best,
                                                      random_for(budget.seed, "refined", number)));
                     });
  }
  pool.file.rewrite(campaigns);
}

void run_variations(const Specification& specification, const CampaignRunner& runner,
                    const Variation& variation, std::int64_t count, const CampaignPool& pool,
                    Campaigns& campaigns) {
  pool.run_missing(campaigns, 1, count, [&](std::int64_t number) {
    Specification changed = specification;
    if (variation.redraw_platforms && number > 1) {
      changed.seed = seed_from_identity(fmt::format("{}\nplatforms\n{}", variation.seed, number));
    }
    if (variation.platform_share > 0) {
      scale_platforms(changed, variation.platform_share,
                      random_for(variation.seed, "within", number));
    }
    Random random = random_for(variation.seed, "runs", number);
    Campaign campaign{.number = number};
    campaign.values = variation.run_share > 0
                          ? runner.run(changed, makespan_noise(variation.run_share, random))
                          : runner.run(changed);
    return campaign;
  });
  pool.file.rewrite(campaigns);
}

void run_other_readings(const Specification& specification,
                        const std::vector<Parameter>& parameters, const CampaignRunner& runner,
                        const CampaignPool& pool, Campaigns& campaigns) {
  std::vector<Calibration> calibrations{current_readings(specification, parameters)};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (std::size_t reading = 0; reading < parameters[i].readings.size(); ++reading) {
      const auto value = static_cast<double>(reading);
      if (value == calibrations.front()[i]) continue;
      calibrations.push_back(calibrations.front());
      calibrations.back()[i] = value;
    }
  }
  for (const auto& [number, campaign] : campaigns) {
    if (number <= std::ssize(calibrations) &&
        campaign.calibration == calibrations[static_cast<std::size_t>(number - 1)]) {
      continue;
    }
    throw InputError(fmt::format("campaign {}", number), "the readings of that campaign", "others",
                     "choose another file")
        .in_file(pool.file.path());
  }
  pool.run_missing(campaigns, 1, std::ssize(calibrations), [&](std::int64_t number) {
    Campaign campaign{.number = number,
                      .calibration = calibrations[static_cast<std::size_t>(number - 1)]};
    campaign.values =
        runner.run(apply_calibration(specification, parameters, campaign.calibration));
    return campaign;
  });
  pool.file.rewrite(campaigns);
}

}  // namespace starport::fit
