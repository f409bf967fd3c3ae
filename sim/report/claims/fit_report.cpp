#include "sim/report/claims/fit_report.hpp"

#include "sim/files/numbers.hpp"
#include "sim/report/claims/claim_evidence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace starport::fit {
namespace {

std::string spread_of(const Parameter& parameter, const std::vector<double>& values) {
  if (!parameter.is_reading()) {
    return fmt::format("{:.4g} / {:.4g} / {:.4g}", quantile_of(values, 0.05),
                       quantile_of(values, 0.5), quantile_of(values, 0.95));
  }
  std::map<double, int> counts;
  for (const double value : values) ++counts[value];
  std::string text;
  for (const auto& [value, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, parameter.text(value));
  }
  return text;
}

/// The figure nearest to what is expected, over the attempts.
double nearest(const Claim& claim, std::size_t index, const Attempts& attempts) {
  std::optional<double> nearest;
  for (const auto& [number, attempt] : attempts) {
    const double ours = attempt.answers[index];
    if (std::isnan(ours)) continue;
    if (!nearest || miss(claim, ours) < miss(claim, *nearest)) nearest = ours;
  }
  return nearest.value_or(std::nan(""));
}

std::int64_t satisfying(const Claim& claim, std::size_t index, const Attempts& attempts) {
  return std::ranges::count_if(
      attempts, [&](const auto& entry) { return holds(claim, entry.second.answers[index]); });
}

std::string parameter_table(const std::vector<Parameter>& parameters, const Attempt& best,
                            const std::vector<const Attempt*>& good) {
  std::string text =
      "| parameter | experiments | range | best | 5 / 50 / 95% of the best ones | what the paper "
      "says |\n| --- | --- | --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    std::vector<double> values;
    for (const Attempt* one : good) values.push_back(one->calibration[i]);
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", parameter.name,
                        parameter.group.empty() ? "all" : markdown_cell(parameter.group),
                        parameter.range_text(), parameter.text(best.calibration[i]),
                        spread_of(parameter, values), markdown_cell(parameter.prior));
  }
  return text;
}

/// What the best calibration does not satisfy; in how many others it holds.
std::string statement_table(const Claims& claims, const Attempts& attempts, const Attempt& best) {
  std::string text =
      "| statement | paper | best calibration | nearest of all | holds in |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < claims.claims.size(); ++i) {
    const Claim& claim = claims.claims[i];
    if (holds(claim, best.answers[i])) continue;
    const std::int64_t count = satisfying(claim, i, attempts);
    text += fmt::format("| {}: {}. {} | {} | {:.4g} | {:.4g} | {} |\n", i + 1,
                        markdown_cell(claim.source), markdown_cell(claim.statement),
                        expected_text(claim), best.answers[i], nearest(claim, i, attempts),
                        count == 0 ? "**none tried**" : fmt::format("{}", count));
  }
  return text;
}

}  // namespace

std::string search_markdown(const Claims& claims, const std::vector<Parameter>& parameters,
                            const Attempts& attempts) {
  std::vector<const Attempt*> order = ranked(claims, attempts);
  std::erase_if(order, [](const Attempt* one) { return one->calibration.empty(); });
  const Attempt& best = *order.front();
  const std::int64_t most = holding(claims, best.answers);
  std::vector<const Attempt*> good;
  std::ranges::copy_if(order, std::back_inserter(good), [&](const Attempt* one) {
    return holding(claims, one->answers) >= most - 1;
  });
  const auto total = claims.claims.size();
  return fmt::format(
      "# {}: {} calibrations tried\n\nAs it is, {} of {} statements hold; in the best calibration, "
      "number {}, {}.\nThe best ones are the {} in which {} or more hold.\n\n{}\nWhat does not "
      "hold "
      "in the best calibration:\n\n{}",
      claims.title, attempts.size(), holding(claims, attempts.at(1).answers), total, best.number,
      most, good.size(), most - 1, parameter_table(parameters, best, good),
      statement_table(claims, attempts, best));
}

namespace {

/// "`clock=exact` of Het": the value that an attempt has and the first one has not.
std::string other_reading(const std::vector<Parameter>& parameters, const Attempt& first,
                          const Attempt& attempt) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (attempt.calibration[i] == first.calibration[i]) continue;
    return fmt::format("{} `[{}={}]`", fmt::join(parameters[i].heuristics, ", "), parameters[i].key,
                       parameters[i].text(attempt.calibration[i]));
  }
  return "as it is";
}

/// The statements that hold in one and not in the other, with the figures of the other and the one.
std::string held_only_in(const Attempt& one, const Attempt& other, const Claims& claims) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < claims.claims.size(); ++i) {
    const Claim& claim = claims.claims[i];
    if (!holds(claim, one.answers[i]) || holds(claim, other.answers[i])) continue;
    cells.push_back(fmt::format("{}: {}. {}: {:.4g}, not {:.4g}", i + 1,
                                markdown_cell(claim.source), markdown_cell(claim.statement),
                                one.answers[i], other.answers[i]));
  }
  return fmt::format("{}", fmt::join(cells, "<br>"));
}

}  // namespace

std::string readings_markdown(const Claims& claims, const std::vector<Parameter>& parameters,
                              const Attempts& attempts) {
  const Attempt& first = attempts.at(1);
  std::string text = fmt::format(
      "# {}: {} readings, one at a time\n\n| reading | hold | with it alone | without it alone "
      "|\n| --- | --- | --- | --- |\n",
      claims.title, attempts.size() - 1);
  for (const auto& [number, attempt] : attempts) {
    text += fmt::format("| {} | {} of {} | {} | {} |\n", other_reading(parameters, first, attempt),
                        holding(claims, attempt.answers), claims.claims.size(),
                        held_only_in(attempt, first, claims), held_only_in(first, attempt, claims));
  }
  return text;
}

std::string variation_markdown(const Claims& claims, const Attempts& attempts) {
  std::vector<double> counts;
  for (const auto& [number, attempt] : attempts) {
    counts.push_back(static_cast<double>(holding(claims, attempt.answers)));
  }
  std::int64_t often = 0;
  for (std::size_t i = 0; i < claims.claims.size(); ++i) {
    often += 20 * satisfying(claims.claims[i], i, attempts) >= std::ssize(attempts);
  }
  std::string text = fmt::format(
      "# {}: {} campaigns\n\n{:.0f} / {:.0f} / {:.0f} of {} statements hold in 5 / 50 / 95% of "
      "them, {:.0f} to {:.0f} in all; {} in 5% of them or more.\n\n| statement | paper | 5 / 50 / "
      "95% of ours | holds in |\n"
      "| --- | --- | --- | --- |\n",
      claims.title, attempts.size(), quantile_of(counts, 0.05), quantile_of(counts, 0.5),
      quantile_of(counts, 0.95), claims.claims.size(), *std::ranges::min_element(counts),
      *std::ranges::max_element(counts), often);
  for (std::size_t i = 0; i < claims.claims.size(); ++i) {
    const Claim& claim = claims.claims[i];
    std::vector<double> figures;
    for (const auto& [number, attempt] : attempts) figures.push_back(attempt.answers[i]);
    const DrawnFigures drawn = drawn_figures(claim, figures);
    text +=
        fmt::format("| {}: {}. {} | {} | {:.4g} / {:.4g} / {:.4g} | {:.3g}% |\n", i + 1,
                    markdown_cell(claim.source), markdown_cell(claim.statement),
                    expected_text(claim), drawn.low, drawn.median, drawn.high, 100 * drawn.holding);
  }
  return text;
}

}  // namespace starport::fit
