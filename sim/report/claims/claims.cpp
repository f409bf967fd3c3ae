#include "sim/report/claims/claims.hpp"

#include "sim/files/document_kind.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/plural.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/random.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace starport {
namespace {

void read_expectation(const JsonNode& node, Claim& claim) {
  node.allow_only({"value", "tolerance", "relative_tolerance", "at_least", "at_most"});
  if (const auto value = node.find("value")) {
    node.allow_only({"value", "tolerance", "relative_tolerance"});
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
  node.allow_only({"at_least", "at_most"});
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
  node.allow_only({"source", "statement", "unit", "expect", "sql", "reason", "draws"});
  Claim claim;
  claim.place = node.pointer();
  claim.source = node.at("source").text();
  claim.statement = node.at("statement").lines();
  if (const auto unit = node.find("unit")) claim.unit = unit->text();
  read_expectation(node.at("expect"), claim);
  claim.sql = node.at("sql").lines();
  if (const auto reason = node.find("reason")) claim.reason = reason->lines();
  if (const auto draws = node.find("draws")) claim.draws = draws->boolean();
  return claim;
}

double number_of(const std::vector<Row>& rows, const Claims& claims, const Claim& claim) {
  if (const auto number = number_in(rows)) return *number;
  throw InputError(claim.place + "/sql", "one number", "something else",
                   "are these the results that the claims are about?")
      .in_file(claims.path);
}

std::string with_unit(double figure, const std::string& unit) {
  const std::string number = fmt::format("{:.4g}", figure);
  return unit.empty() ? number : unit == "%" ? number + "%" : number + " " + unit;
}

}  // namespace

std::string markdown_cell(const std::string& text) {
  return boost::replace_all_copy(text, "|", "\\|");
}

std::optional<double> number_in(const std::vector<Row>& answer) {
  const bool one = answer.size() == 1 && answer[0].size() == 1;
  if (!one || answer[0][0].index() == 0 || std::holds_alternative<std::string>(answer[0][0])) {
    return std::nullopt;
  }
  const double number = to_real(answer[0][0]);
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool holds(const Claim& claim, double ours) {
  // The figures of an exact model: the last bits of a mean are no reason to fail.
  constexpr double rounding = 1e-9;
  if (claim.value) {
    return std::abs(ours - *claim.value) <= claim.tolerance + rounding * std::abs(*claim.value);
  }
  return (!claim.at_least || ours >= *claim.at_least - rounding * std::abs(*claim.at_least)) &&
         (!claim.at_most || ours <= *claim.at_most + rounding * std::abs(*claim.at_most));
}

double miss(const Claim& claim, double ours) {
  if (holds(claim, ours)) return 0;
  if (std::isnan(ours)) return 1;
  const double nearest = claim.value                                ? *claim.value
                         : claim.at_least && ours < *claim.at_least ? *claim.at_least
                                                                    : *claim.at_most;
  const double apart = std::abs(ours - nearest) - claim.tolerance;
  return nearest == 0 ? 1 : std::min(1.0, apart / std::abs(nearest));
}

std::string fingerprint(const Claims& claims) {
  std::string text;
  for (const Claim& claim : claims.claims) text += claim.sql + "\n" + expected_text(claim) + "\n";
  return fmt::format("{:014x}", seed_of(text));
}

Claims load_claims(const std::string& path) {
  return named_by_file(path, [&] {
    const std::string text = read_file(path);
    refuse_csv(text, "claims");
    const nlohmann::json document = parse_json(text, path);
    expect_kind(document, "claims");
    const JsonNode root(document);
    root.allow_only({"$schema", "schema_version", "title", "comment", "fit", "claims"});
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
    const auto answer = named_by_file(claims.path, [&] {
      return results.ask(claim.sql, 2, claim.place + "/sql");  // two are too many
    });
    const double ours = number_of(answer, claims, claim);
    checked.push_back({.claim = claim, .ours = ours, .holds = holds(claim, ours)});
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

std::string count_text(const std::vector<CheckedClaim>& checked) {
  const auto holding = std::ranges::count_if(checked, &CheckedClaim::holds);
  std::string text =
      fmt::format("{}: {} hold, {} do not", counted(std::ssize(checked), "statement"), holding,
                  std::ssize(checked) - holding);
  if (std::ranges::none_of(checked, [](const auto& one) { return one.drawn.has_value(); })) {
    return text;
  }
  const auto strictly = std::ranges::count_if(
      checked, [](const auto& one) { return one.drawn ? one.drawn->strictly : one.holds; });
  return fmt::format("{}; {} where figures must lie between 5% and 95% of the draws", text,
                     strictly);
}

namespace {

/// "1.02 / 1.11 / 1.3, 63% below the paper's, holds in 20%": at 5%, 50% and 95% of the draws; how
/// many are below the paper's figure, and in how many the statement holds.
std::string drawn_text(const CheckedClaim& one) {
  if (!one.drawn) return "";
  const DrawnFigures& drawn = *one.drawn;
  const std::string below =
      one.claim.value ? fmt::format("{:.0f}% below the paper's, ", 100 * drawn.below) : "";
  return fmt::format("{:.4g} / {:.4g} / {:.4g}, {}holds in {:.0f}%", drawn.low, drawn.median,
                     drawn.high, below, 100 * drawn.holding);
}

std::string tried_text(const CheckedClaim& one) {
  if (!one.tried) return "";
  return one.tried->holding == 0 ? "none" : fmt::format("{}", one.tried->holding);
}

}  // namespace

std::string claims_markdown(const Claims& claims, const std::vector<CheckedClaim>& checked) {
  const bool drawn =
      std::ranges::any_of(checked, [](const auto& one) { return one.drawn.has_value(); });
  const bool tried = !checked.empty() && checked.front().tried;
  std::string text = fmt::format("## {}\n\n{}.\n\n", claims.title, count_text(checked));
  std::string heads = "| source | statement | paper | ours |";
  std::string rule = "| --- | --- | --- | --- |";
  const auto add_column = [&](const std::string& head) {
    heads += " " + head + " |";
    rule += " --- |";
  };
  if (drawn) add_column("5 / 50 / 95% of draws");
  add_column("holds");
  if (tried) {
    add_column(fmt::format("of {} calibrations", checked.front().tried->calibrations));
  }
  text += heads + "\n" + rule + "\n";
  for (const CheckedClaim& one : checked) {
    const Claim& claim = one.claim;
    std::string statement = markdown_cell(claim.statement);
    if (!one.holds && !claim.reason.empty())
      statement += "<br>*" + markdown_cell(claim.reason) + "*";
    text += fmt::format("| {} | {} | {} | {} |", markdown_cell(claim.source), statement,
                        expected_text(claim), with_unit(one.ours, claim.unit));
    if (drawn) text += " " + drawn_text(one) + " |";
    text += one.holds ? " yes |" : " **no** |";
    if (tried) text += " " + tried_text(one) + " |";
    text += "\n";
  }
  return text;
}

std::string claims_csv(const std::vector<CheckedClaim>& checked) {
  std::string text = "source,statement,expected,ours,unit,holds,reason\r\n";
  for (const auto& [claim, ours, holds, drawn, tried] : checked) {
    text +=
        fmt::format("{},{},{},{},{},{},{}\r\n", csv_field(claim.source), csv_field(claim.statement),
                    csv_field(expected_text(claim)), ours, csv_field(claim.unit),
                    holds ? "yes" : "no", holds ? "" : csv_field(claim.reason));
  }
  return text;
}

}  // namespace starport
