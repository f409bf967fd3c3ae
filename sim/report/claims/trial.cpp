#include "sim/report/claims/trial.hpp"

#include <limits>
#include <stdexcept>

namespace starport::fit {

std::int64_t holding(const Claims& claims, const Answers& answers) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) count += holds(claims.claims[i], answers[i]);
  return count;
}

double missed(const Claims& claims, const Answers& answers) {
  double sum = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) sum += miss(claims.claims[i], answers[i]);
  return sum;
}

Inquiry::Inquiry(const Specification& specification, const Claims& claims,
                 const SimulationLimits& limits)
    : specification_(specification),
      claims_(claims),
      engines_{.engine = EngineKind::analytic, .limits = limits},
      rows_(specification) {}

void Inquiry::check() const { check_claims(claims_, results_of(specification_, {})); }

void Inquiry::keep_fixed_rows() {
  for (std::int64_t number = 1; number <= specification_.size(); ++number) {
    const SweepInstance instance = specification_.instance(number);
    if (instance.seed) continue;
    fixed_[number] = rows_.rows(
        instance, run_instance(instance, specification_.models(), engines_, RunMode::quick));
  }
}

ResultTable Inquiry::results_of(const Specification& changed, const Disturb& disturb) const {
  std::string text = rows_.header();
  for (std::int64_t number = 1; number <= changed.size(); ++number) {
    if (const auto fixed = fixed_.find(number); fixed != fixed_.end()) {
      text += fixed->second;
      continue;
    }
    const SweepInstance instance = changed.instance(number);
    Comparison comparison = run_instance(instance, changed.models(), engines_, RunMode::quick);
    if (disturb) disturb(instance, comparison);
    text += rows_.rows(instance, comparison);
  }
  ResultTable results;
  results.append_text(text, "results.csv");
  return results;
}

Answers Inquiry::ask(const Specification& changed, const Disturb& disturb) const {
  const ResultTable results = results_of(changed, disturb);
  Answers answers;
  for (const Claim& claim : claims_.claims) {
    double& answer = answers.emplace_back(std::numeric_limits<double>::quiet_NaN());
    try {
      answer = number_in(results.query(claim.sql)).value_or(answer);
    } catch (const std::runtime_error&) {  // the arithmetic of these results: no figure
    }
  }
  return answers;
}

}  // namespace starport::fit
