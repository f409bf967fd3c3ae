#include "sim/report/claims/claims.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/random.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace starport {
namespace {

void read_expectation(const JsonNode& node, Claim& claim) {
  node.allow_only_keys({"value", "tolerance", "relative_tolerance", "at_least", "at_most"});
  if (const auto value = node.find("value")) {
    node.allow_only_keys({"value", "tolerance", "relative_tolerance"});
    claim.value = value->number();
    claim.relative = node.has("relative_tolerance");
    if (claim.relative == node.has("tolerance")) {
      throw InputError(node.pointer(), "either tolerance or relative_tolerance",
                       claim.relative ? "both" : "neither");
    }
    const double given =
        node.at(claim.relative ? "relative_tolerance" : "tolerance").non_negative_number();
    claim.tolerance = claim.relative ? given * std::abs(*claim.value) : given;
    return;
  }
  node.allow_only_keys({"at_least", "at_most"});
  if (const auto least = node.find("at_least")) claim.at_least = least->number();
  if (const auto most = node.find("at_most")) claim.at_most = most->number();
  if (!claim.at_least && !claim.at_most) {
    throw InputError(node.pointer(), "value, at_least or at_most", "none of them");
  }
  if (claim.at_least && claim.at_most && *claim.at_least > *claim.at_most) {
    throw InputError(node.pointer(), "at_least no greater than at_most",
                     fmt::format("{} and {}", *claim.at_least, *claim.at_most));
  }
}

Claim read_claim(const JsonNode& node) {
  node.allow_only_keys({"source", "statement", "unit", "expect", "sql", "reason", "draws"});
  Claim claim;
  claim.pointer = node.pointer();
  claim.source = node.at("source").text();
  claim.statement = node.at("statement").joined_text();
  if (const auto unit = node.find("unit")) claim.unit = unit->text();
  read_expectation(node.at("expect"), claim);
  claim.sql = node.at("sql").joined_text();
  if (const auto reason = node.find("reason")) claim.reason = reason->joined_text();
  if (const auto draws = node.find("draws")) claim.about_draws = draws->boolean();
  return claim;
}

/// Returns the number of an answer. Throws InputError naming the claim if it is something else.
double require_number(const std::vector<Row>& answer, const Claims& claims, const Claim& claim) {
  if (const auto number = single_number(answer)) return *number;
  throw InputError(claim.pointer + "/sql", "one number", "something else",
                   "are these the results that the claims are about?")
      .in_file(claims.path);
}

std::string with_unit(double number, const std::string& unit) {
  const std::string text = fmt::format("{:.4g}", number);
  return unit.empty() ? text : unit == "%" ? text + "%" : text + " " + unit;
}

/// Formats the percentiles, the share of draws below the paper's number and the share in which the
/// claim holds: "1.02 / 1.11 / 1.3, 63% below the paper's, holds in 20%". Empty without draws.
std::string draws_text(const CheckedClaim& checked) {
  if (!checked.draws) return "";
  const DrawStatistics& draws = *checked.draws;
  const std::string below =
      checked.claim.value ? fmt::format("{:.0f}% below the paper's, ", 100 * draws.below) : "";
  return fmt::format("{}, {}holds in {:.0f}%", percentiles_text(draws), below, 100 * draws.holding);
}

/// Formats in how many calibrations the claim holds; empty if no calibrations were given.
std::string calibrations_text(const CheckedClaim& checked) {
  if (!checked.calibrations) return "";
  const std::int64_t holding = checked.calibrations->holding;
  return holding == 0 ? "none" : fmt::format("{}", holding);
}

/// Returns the numbers of the claim with this index, one per campaign.
std::vector<double> numbers_of(const std::vector<std::vector<double>>& campaigns,
                               std::size_t claim) {
  std::vector<double> numbers;
  for (const auto& values : campaigns) numbers.push_back(values[claim]);
  return numbers;
}

/// Throws InputError, naming the file of campaigns, if they are of another kind. Those of
/// calibrations have columns of parameters besides `claim_columns` and those of all campaigns.
void require_kind(const ResultTable& campaigns, const std::vector<std::string>& claim_columns,
                  CampaignKind kind) {
  std::set<std::string> common{"number", "input", "holds", "missed"};
  common.insert(claim_columns.begin(), claim_columns.end());
  const bool has_parameters = std::ranges::any_of(
      campaigns.columns(), [&](const std::string& column) { return !common.contains(column); });
  if (has_parameters == (kind == CampaignKind::calibration)) return;
  throw(has_parameters
            ? InputError::with_problem(
                  "--draws", "the file has calibrations, not campaigns with random changes",
                  "Write it with starport fit --platforms, or give this file to --tried")
            : InputError::with_problem(
                  "--tried", "the file has campaigns with random changes, not calibrations",
                  "Write it with starport fit without --platforms, --within and --runs, or give "
                  "this file to --draws"))
      .in_file(campaigns.path());
}

std::int64_t count_holding(const Claim& claim, const std::vector<double>& numbers) {
  return std::ranges::count_if(numbers, [&](double number) { return holds(claim, number); });
}

}  // namespace

std::string markdown_cell(const std::string& text) {
  return boost::replace_all_copy(text, "|", "\\|");
}

std::optional<double> single_number(const std::vector<Row>& answer) {
  const bool single_cell = answer.size() == 1 && answer[0].size() == 1;
  if (!single_cell || answer[0][0].index() == 0 ||
      std::holds_alternative<std::string>(answer[0][0])) {
    return std::nullopt;
  }
  const double number = to_real(answer[0][0]);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool holds(const Claim& claim, double number) {
  // The results are exact up to rounding: a difference in the last bits of a mean is none.
  constexpr double rounding = 1e-9;
  if (claim.value) {
    return std::abs(number - *claim.value) <= claim.tolerance + rounding * std::abs(*claim.value);
  }
  return (!claim.at_least || number >= *claim.at_least - rounding * std::abs(*claim.at_least)) &&
         (!claim.at_most || number <= *claim.at_most + rounding * std::abs(*claim.at_most));
}

double deviation(const Claim& claim, double number) {
  if (holds(claim, number)) return 0;
  if (std::isnan(number)) return 1;
  const double nearest = claim.value                                  ? *claim.value
                         : claim.at_least && number < *claim.at_least ? *claim.at_least
                                                                      : *claim.at_most;
  const double distance = std::abs(number - nearest) - claim.tolerance;
  return nearest == 0 ? 1 : std::min(1.0, distance / std::abs(nearest));
}

std::string claims_hash(const Claims& claims) {
  std::string text;
  for (const Claim& claim : claims.claims) text += claim.sql + "\n" + expected_text(claim) + "\n";
  return fmt::format("{:014x}", seed_from_identity(text));
}

Claims load_claims(const std::string& path) {
  return with_file_in_errors(path, [&] {
    const std::string text = read_file(path);
    reject_csv(text, "claims");
    const nlohmann::json document = parse_json(text, path);
    require_document_kind(document, "claims");
    const JsonNode root(document);
    root.allow_only_keys({"$schema", "schema_version", "title", "comment", "fit", "claims"});
    root.check_version(1);
    Claims claims{.path = path, .title = root.at("title").text()};
    for (const JsonNode& node : root.at("claims").elements()) {
      claims.claims.push_back(read_claim(node));
    }
    if (claims.claims.empty()) throw root.at("claims").fault("at least one claim");
    return claims;
  });
}

std::vector<CheckedClaim> check_claims(const Claims& claims, const ResultTable& results) {
  std::vector<CheckedClaim> checked;
  for (const Claim& claim : claims.claims) {
    const auto answer = with_file_in_errors(claims.path, [&] {
      // A second row already shows that the answer is not one number.
      return results.ask(claim.sql, 2, claim.pointer + "/sql");
    });
    const double number = require_number(answer, claims, claim);
    checked.push_back({.claim = claim, .number = number, .holds = holds(claim, number)});
  }
  return checked;
}

std::string expected_text(const Claim& claim) {
  if (claim.value) {
    const std::string value = with_unit(*claim.value, claim.unit);
    if (claim.tolerance == 0) return value;
    if (!claim.relative) return fmt::format("{} ± {:.3g}", value, claim.tolerance);
    return fmt::format("{} ± {:.3g}%", value, 100 * claim.tolerance / std::abs(*claim.value));
  }
  if (!claim.at_least) return "at most " + with_unit(*claim.at_most, claim.unit);
  if (!claim.at_most) return "at least " + with_unit(*claim.at_least, claim.unit);
  return with_unit(*claim.at_least, "") + " to " + with_unit(*claim.at_most, claim.unit);
}

std::string verdict_summary(const std::vector<CheckedClaim>& checked) {
  const auto holding = std::ranges::count_if(checked, &CheckedClaim::holds);
  std::string text =
      fmt::format("{}: {} hold, {} do not", format_count(std::ssize(checked), "statement"), holding,
                  std::ssize(checked) - holding);
  if (std::ranges::none_of(checked, [](const auto& claim) { return claim.draws.has_value(); })) {
    return text;
  }
  const auto strictly = std::ranges::count_if(
      checked, [](const auto& claim) { return claim.draws ? claim.draws->strictly : claim.holds; });
  return fmt::format("{}; {} where figures must lie between 5% and 95% of the draws", text,
                     strictly);
}

std::string claims_markdown(const Claims& claims, const std::vector<CheckedClaim>& checked) {
  const bool has_draws =
      std::ranges::any_of(checked, [](const auto& claim) { return claim.draws.has_value(); });
  const bool has_calibrations = !checked.empty() && checked.front().calibrations;
  std::string text = fmt::format("## {}\n\n{}.\n\n", claims.title, verdict_summary(checked));
  std::string headings = "| source | statement | paper | ours |";
  std::string rule = "| --- | --- | --- | --- |";
  const auto add_column = [&](const std::string& heading) {
    headings += " " + heading + " |";
    rule += " --- |";
  };
  if (has_draws) add_column("5 / 50 / 95% of draws");
  add_column("holds");
  if (has_calibrations) {
    add_column(fmt::format("of {} calibrations", checked.front().calibrations->tried));
  }
  text += headings + "\n" + rule + "\n";
  for (const CheckedClaim& row : checked) {
    const Claim& claim = row.claim;
    std::string statement = markdown_cell(claim.statement);
    if (!row.holds && !claim.reason.empty())
      statement += "<br>*" + markdown_cell(claim.reason) + "*";
    text += fmt::format("| {} | {} | {} | {} |", markdown_cell(claim.source), statement,
                        markdown_cell(expected_text(claim)),
                        markdown_cell(with_unit(row.number, claim.unit)));
    if (has_draws) text += " " + markdown_cell(draws_text(row)) + " |";
    text += row.holds ? " yes |" : " **no** |";
    if (has_calibrations) text += " " + calibrations_text(row) + " |";
    text += "\n";
  }
  return text;
}

std::string claims_csv(const std::vector<CheckedClaim>& checked) {
  std::string text = "source,statement,expected,ours,unit,holds,reason\r\n";
  for (const auto& [claim, number, holds, draws, calibrations] : checked) {
    text += fmt::format("{},{},{},{},{},{},{}\r\n", quote_csv_field(claim.source),
                        quote_csv_field(claim.statement), quote_csv_field(expected_text(claim)),
                        number, quote_csv_field(claim.unit), holds ? "yes" : "no",
                        holds ? "" : quote_csv_field(claim.reason));
  }
  return text;
}

std::vector<std::vector<double>> read_campaign_values(const std::vector<std::string>& paths,
                                                      const Claims& claims, CampaignKind kind) {
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
    require_kind(table, columns, kind);
    for (const Row& row :
         table.query(fmt::format("SELECT {} FROM results", fmt::join(columns, ",")))) {
      std::vector<double>& values = campaigns.emplace_back();
      for (const Cell& cell : row) {
        if (std::holds_alternative<std::string>(cell)) {
          throw InputError(columns[values.size()], "numbers", "'" + to_text(cell) + "'",
                           "write the file again")
              .in_file(path);
        }
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

std::string percentiles_text(const DrawStatistics& draws) {
  if (std::isnan(draws.median)) return "no number";
  return fmt::format("{:.4g} / {:.4g} / {:.4g}", draws.low, draws.median, draws.high);
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
