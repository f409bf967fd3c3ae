// Claims judged by many campaigns instead of one: random platforms drawn again, calibrations tried.
#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/report/claims/claims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport {
namespace {

/// Returns the numbers of the claim with this index, one per campaign.
std::vector<double> numbers_of(const std::vector<std::vector<double>>& campaigns,
                               std::size_t claim) {
  std::vector<double> numbers;
  for (const auto& values : campaigns) numbers.push_back(values[claim]);
  return numbers;
}

std::int64_t count_holding(const Claim& claim, const std::vector<double>& numbers) {
  return std::ranges::count_if(numbers, [&](double number) { return holds(claim, number); });
}

}  // namespace

std::vector<std::vector<double>> read_campaign_values(const std::vector<std::string>& paths,
                                                      const Claims& claims) {
  std::vector<std::string> columns;
  for (std::size_t i = 1; i <= claims.claims.size(); ++i) columns.push_back(fmt::format("c{}", i));
  std::vector<std::vector<double>> campaigns;
  // The files are read one by one, since their columns of parameters differ.
  for (const std::string& path : paths) {
    const ResultTable table = ResultTable::read_csv(path);
    table.require({"input"});
    for (const Row& row : table.query("SELECT DISTINCT input FROM results")) {
      if (to_text(row.at(0)).starts_with(claims_hash(claims) + "-")) continue;
      throw InputError("", "campaigns of the claims in " + claims.path, "campaigns of other claims",
                       "write the file again")
          .in_file(path);
    }
    table.require(columns);
    for (const Row& row :
         table.query(fmt::format("SELECT {} FROM results", fmt::join(columns, ",")))) {
      std::vector<double>& values = campaigns.emplace_back();
      for (const Cell& cell : row) {
        values.push_back(cell.index() == 0 ? std::numeric_limits<double>::quiet_NaN()
                                           : to_real(cell));
      }
    }
  }
  if (campaigns.empty()) {
    throw InputError("", "at least one row", "only the header").in_file(paths.front());
  }
  return campaigns;
}

DrawStatistics draw_statistics(const Claim& claim, std::vector<double> numbers) {
  const auto campaigns = static_cast<double>(numbers.size());
  DrawStatistics draws{.holding = static_cast<double>(count_holding(claim, numbers)) / campaigns};
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  if (numbers.empty()) return draws;
  draws.low = quantile_of(numbers, 0.05);
  draws.median = quantile_of(numbers, 0.5);
  draws.high = quantile_of(numbers, 0.95);
  const double paper = claim.value.value_or(claim.at_least.value_or(claim.at_most.value_or(0)));
  const auto below = std::ranges::count_if(numbers, [&](double number) { return number < paper; });
  draws.below = static_cast<double>(below) / campaigns;
  return draws;
}

void judge_by_draws(std::vector<CheckedClaim>& checked,
                    const std::vector<std::vector<double>>& draws) {
  constexpr double least_share = 0.05;
  for (std::size_t i = 0; i < checked.size(); ++i) {
    auto& [claim, number, holds, statistics, calibrations] = checked[i];
    if (!claim.about_draws) continue;
    statistics = draw_statistics(claim, numbers_of(draws, i));
    const bool between =
        claim.value && statistics->low <= *claim.value && *claim.value <= statistics->high;
    const bool often = statistics->holding >= least_share;
    statistics->strictly = claim.value ? between : often;
    holds = between || often;
  }
}

void count_calibrations(std::vector<CheckedClaim>& checked,
                        const std::vector<std::vector<double>>& calibrations) {
  for (std::size_t i = 0; i < checked.size(); ++i) {
    checked[i].calibrations =
        CalibrationCount{.tried = std::ssize(calibrations),
                         .holding = count_holding(checked[i].claim, numbers_of(calibrations, i))};
  }
}

}  // namespace starport
