#include "sim/report/claims/claim_evidence.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport {
namespace {

/// Of the campaigns; NaN where one has no figure.
std::vector<double> figures_of(const std::vector<std::vector<double>>& campaigns,
                               std::size_t claim) {
  std::vector<double> figures;
  for (const auto& answers : campaigns) figures.push_back(answers[claim]);
  return figures;
}

std::int64_t holding(const Claim& claim, const std::vector<double>& figures) {
  return std::ranges::count_if(figures, [&](double ours) { return holds(claim, ours); });
}

}  // namespace

std::vector<std::vector<double>> read_answers(const std::vector<std::string>& paths,
                                              const Claims& claims) {
  std::vector<std::string> columns;
  for (std::size_t i = 1; i <= claims.claims.size(); ++i) columns.push_back(fmt::format("c{}", i));
  std::vector<std::vector<double>> campaigns;
  for (const std::string& path : paths) {  // each has parameters of its own
    const ResultTable table = ResultTable::read_csv(path);
    table.require({"input"});
    for (const Row& row : table.query("SELECT DISTINCT input FROM results")) {
      if (to_text(row.at(0)).starts_with(fingerprint(claims) + "-")) continue;
      throw InputError("", "answers to the questions of " + claims.path, "to others",
                       "make the file again")
          .in_file(path);
    }
    table.require(columns);
    for (const Row& row :
         table.query(fmt::format("SELECT {} FROM results", fmt::join(columns, ",")))) {
      std::vector<double>& answers = campaigns.emplace_back();
      for (const Cell& cell : row) {
        answers.push_back(cell.index() == 0 ? std::numeric_limits<double>::quiet_NaN()
                                            : to_real(cell));
      }
    }
  }
  if (campaigns.empty()) throw InputError("", "at least one row", "none").in_file(paths.front());
  return campaigns;
}

DrawnFigures drawn_figures(const Claim& claim, std::vector<double> figures) {
  const auto all = static_cast<double>(figures.size());
  DrawnFigures drawn{.holding = static_cast<double>(holding(claim, figures)) / all};
  std::erase_if(figures, [](double figure) { return std::isnan(figure); });
  if (figures.empty()) return drawn;
  drawn.low = quantile_of(figures, 0.05);
  drawn.median = quantile_of(figures, 0.5);
  drawn.high = quantile_of(figures, 0.95);
  const double paper = claim.value.value_or(claim.at_least.value_or(claim.at_most.value_or(0)));
  const auto below = std::ranges::count_if(figures, [&](double ours) { return ours < paper; });
  drawn.below = static_cast<double>(below) / all;
  return drawn;
}

void judge_by_draws(std::vector<CheckedClaim>& checked,
                    const std::vector<std::vector<double>>& draws) {
  constexpr double least_share = 0.05;
  for (std::size_t i = 0; i < checked.size(); ++i) {
    CheckedClaim& one = checked[i];
    if (!one.claim.draws) continue;
    one.drawn = drawn_figures(one.claim, figures_of(draws, i));
    const bool between = one.claim.value && one.drawn->low <= *one.claim.value &&
                         *one.claim.value <= one.drawn->high;
    const bool often = one.drawn->holding >= least_share;
    one.drawn->strictly = one.claim.value ? between : often;
    one.holds = between || often;
  }
}

void note_tried(std::vector<CheckedClaim>& checked,
                const std::vector<std::vector<double>>& calibrations) {
  for (std::size_t i = 0; i < checked.size(); ++i) {
    checked[i].tried = Tried{.calibrations = std::ssize(calibrations),
                             .holding = holding(checked[i].claim, figures_of(calibrations, i))};
  }
}

}  // namespace starport
