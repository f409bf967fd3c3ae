// The Markdown reports of `starport fit`.
#include "sim/files/numbers.hpp"
#include "sim/report/claims/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace starport::fit {
namespace {

/// Formats how the values of a parameter spread: percentiles, or how often each reading occurs.
std::string spread_text(const Parameter& parameter, const std::vector<double>& values) {
  if (!parameter.is_reading()) {
    return fmt::format("{:.4g} / {:.4g} / {:.4g}", quantile_of(values, 0.05),
                       quantile_of(values, 0.5), quantile_of(values, 0.95));
  }
  std::map<double, int> counts;
  for (const double value : values) ++counts[value];
  std::string text;
  for (const auto& [value, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, parameter.value_text(value));
  }
  return text;
}

/// Returns the number of the claim that comes nearest to holding in any campaign; NaN if no
/// campaign has one.
double nearest_value(const Claim& claim, std::size_t index, const Campaigns& campaigns) {
  std::optional<double> nearest;
  for (const auto& [number, campaign] : campaigns) {
    const double value = campaign.values[index];
    if (std::isnan(value)) continue;
    if (!nearest || deviation(claim, value) < deviation(claim, *nearest)) nearest = value;
  }
  return nearest.value_or(std::nan(""));
}

/// Returns in how many campaigns the claim with this index holds.
std::int64_t count_holding(const Claim& claim, std::size_t index, const Campaigns& campaigns) {
  return std::ranges::count_if(
      campaigns, [&](const auto& entry) { return holds(claim, entry.second.values[index]); });
}

std::string parameter_table(const std::vector<Parameter>& parameters, const Campaign& best,
                            const std::vector<const Campaign*>& good) {
  std::string text =
      "| parameter | experiments | range | best | 5 / 50 / 95% of the best ones | what the paper "
      "says |\n| --- | --- | --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    std::vector<double> values;
    for (const Campaign* campaign : good) values.push_back(campaign->calibration[i]);
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_cell(parameter.name),
                    parameter.group.empty() ? "all" : markdown_cell(parameter.group),
                    markdown_cell(parameter.range_text()),
                    markdown_cell(parameter.value_text(best.calibration[i])),
                    markdown_cell(spread_text(parameter, values)), markdown_cell(parameter.prior));
  }
  return text;
}

/// Lists the claims that do not hold in the best campaign, with how many others they hold in.
std::string failing_claims_table(const Claims& claims, const Campaigns& campaigns,
                                 const Campaign& best) {
  std::string text =
      "| statement | paper | best calibration | nearest of all | holds in |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < claims.claims.size(); ++i) {
    const Claim& claim = claims.claims[i];
    if (holds(claim, best.values[i])) continue;
    const std::int64_t count = count_holding(claim, i, campaigns);
    text += fmt::format("| {}: {}. {} | {} | {:.4g} | {:.4g} | {} |\n", i + 1,
                        markdown_cell(claim.source), markdown_cell(claim.statement),
                        markdown_cell(expected_text(claim)), best.values[i],
                        nearest_value(claim, i, campaigns),
                        count == 0 ? "**none tried**" : fmt::format("{}", count));
  }
  return text;
}

/// Names the reading in which a campaign differs from the first: "Het `[clock=exact]`".
std::string changed_reading(const std::vector<Parameter>& parameters, const Campaign& first,
                            const Campaign& campaign) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (campaign.calibration[i] == first.calibration[i]) continue;
    return fmt::format("{} `[{}={}]`", fmt::join(parameters[i].heuristics, ", "), parameters[i].key,
                       parameters[i].value_text(campaign.calibration[i]));
  }
  return "as it is";
}

/// Lists the claims that hold in campaign `a` and not in `b`, with the numbers of both.
std::string holding_only_in(const Campaign& a, const Campaign& b, const Claims& claims) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < claims.claims.size(); ++i) {
    const Claim& claim = claims.claims[i];
    if (!holds(claim, a.values[i]) || holds(claim, b.values[i])) continue;
    cells.push_back(fmt::format("{}: {}. {}: {:.4g}, not {:.4g}", i + 1,
                                markdown_cell(claim.source), markdown_cell(claim.statement),
                                a.values[i], b.values[i]));
  }
  return fmt::format("{}", fmt::join(cells, "<br>"));
}

}  // namespace

std::string search_report(const Claims& claims, const std::vector<Parameter>& parameters,
                          const Campaigns& campaigns) {
  std::vector<const Campaign*> order = rank(claims, campaigns);
  std::erase_if(order, [](const Campaign* campaign) { return campaign->calibration.empty(); });
  const Campaign& best = *order.front();
  const std::int64_t most = count_holding(claims, best.values);
  const std::int64_t least = std::max<std::int64_t>(most - 1, 0);
  std::vector<const Campaign*> good;
  std::ranges::copy_if(order, std::back_inserter(good), [&](const Campaign* campaign) {
    return count_holding(claims, campaign->values) >= least;
  });
  const auto total = claims.claims.size();
  return fmt::format(
      "# {}: {} calibrations tried\n\nAs it is, {} of {} statements hold; in the best calibration, "
      "number {}, {}.\nThe best ones are the {} in which {} or more hold.\n\n{}\nWhat does not "
      "hold "
      "in the best calibration:\n\n{}",
      claims.title, campaigns.size(), count_holding(claims, campaigns.at(1).values), total,
      best.number, most, good.size(), least, parameter_table(parameters, best, good),
      failing_claims_table(claims, campaigns, best));
}

std::string readings_report(const Claims& claims, const std::vector<Parameter>& parameters,
                            const Campaigns& campaigns) {
  const Campaign& first = campaigns.at(1);
  std::string text = fmt::format(
      "# {}: {} readings, one at a time\n\n| reading | hold | with it alone | without it alone "
      "|\n| --- | --- | --- | --- |\n",
      claims.title, campaigns.size() - 1);
  for (const auto& [number, campaign] : campaigns) {
    text += fmt::format(
        "| {} | {} of {} | {} | {} |\n", changed_reading(parameters, first, campaign),
        count_holding(claims, campaign.values), claims.claims.size(),
        holding_only_in(campaign, first, claims), holding_only_in(first, campaign, claims));
  }
  return text;
}

std::string variation_report(const Claims& claims, const Campaigns& campaigns) {
  std::vector<double> counts;
  for (const auto& [number, campaign] : campaigns) {
    counts.push_back(static_cast<double>(count_holding(claims, campaign.values)));
  }
  std::int64_t often = 0;  // claims that hold in at least 5 % of the campaigns
  for (std::size_t i = 0; i < claims.claims.size(); ++i) {
    often += 20 * count_holding(claims.claims[i], i, campaigns) >= std::ssize(campaigns);
  }
  std::string text = fmt::format(
      "# {}: {} campaigns\n\n{:.0f} / {:.0f} / {:.0f} of {} statements hold in 5 / 50 / 95% of "
      "them, {:.0f} to {:.0f} in all; {} in 5% of them or more.\n\n| statement | paper | 5 / 50 / "
      "95% of ours | holds in |\n"
      "| --- | --- | --- | --- |\n",
      claims.title, campaigns.size(), quantile_of(counts, 0.05), quantile_of(counts, 0.5),
      quantile_of(counts, 0.95), claims.claims.size(), *std::ranges::min_element(counts),
      *std::ranges::max_element(counts), often);
  for (std::size_t i = 0; i < claims.claims.size(); ++i) {
    const Claim& claim = claims.claims[i];
    std::vector<double> numbers;
    for (const auto& [number, campaign] : campaigns) numbers.push_back(campaign.values[i]);
    const DrawStatistics draws = draw_statistics(claim, numbers);
    text += fmt::format("| {}: {}. {} | {} | {} | {:.3g}% |\n", i + 1, markdown_cell(claim.source),
                        markdown_cell(claim.statement), markdown_cell(expected_text(claim)),
                        percentiles_text(draws), 100 * draws.holding);
  }
  return text;
}

}  // namespace starport::fit
