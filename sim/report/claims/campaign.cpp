#include "sim/report/claims/campaign.hpp"

#include <limits>
#include <stdexcept>

namespace starport::fit {

std::int64_t count_holding(const Claims& claims, const ClaimValues& values) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) count += holds(claims.claims[i], values[i]);
  return count;
}

double total_deviation(const Claims& claims, const ClaimValues& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += deviation(claims.claims[i], values[i]);
  return sum;
}

CampaignRunner::CampaignRunner(const Specification& specification, const Claims& claims,
                               const SimulationLimits& limits)
    : specification_(specification),
      claims_(claims),
      engines_{.engine = EngineKind::analytic, .limits = limits},
      rows_(specification) {}

void CampaignRunner::check_queries() const {
  check_claims(claims_, results_of(specification_, {}));
}

void CampaignRunner::cache_fixed_instances() {
  for (std::int64_t number = 1; number <= specification_.size(); ++number) {
    const SweepInstance instance = specification_.instance(number);
    if (instance.seed) continue;
    cached_rows_[number] = rows_.rows(
        instance, run_instance(instance, specification_.models(), engines_, RunMode::in_process));
  }
}

ResultTable CampaignRunner::results_of(const Specification& changed,
                                       const Perturbation& perturb) const {
  std::string text = rows_.header();
  for (std::int64_t number = 1; number <= changed.size(); ++number) {
    if (const auto cached = cached_rows_.find(number); cached != cached_rows_.end()) {
      text += cached->second;
      continue;
    }
    const SweepInstance instance = changed.instance(number);
    Comparison comparison = run_instance(instance, changed.models(), engines_, RunMode::in_process);
    if (perturb) perturb(instance, comparison);
    text += rows_.rows(instance, comparison);
  }
  ResultTable results;
  results.append_text(text, "results.csv");
  return results;
}

ClaimValues CampaignRunner::run(const Specification& changed, const Perturbation& perturb) const {
  const ResultTable results = results_of(changed, perturb);
  ClaimValues values;
  for (const Claim& claim : claims_.claims) {
    double& value = values.emplace_back(std::numeric_limits<double>::quiet_NaN());
    try {
      value = single_number(results.query(claim.sql)).value_or(value);
    } catch (const std::runtime_error&) {
      // check_queries() has accepted the SQL: an overflow in these results leaves no number.
    }
  }
  return values;
}

}  // namespace starport::fit
