// Claims: statements of a paper as numbers with tolerances, checked against the results of a sweep.
#pragma once

#include "sim/report/database/result_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// One statement of a paper, reduced to one number: the SQL query that computes this number from a
/// table of results, and the range in which the statement holds. Either `value` is set, with
/// `tolerance`, or at least one of `at_least` and `at_most`.
struct Claim {
  std::string source;              ///< section or figure of the paper
  std::string statement;           ///< the claim as a sentence, in Markdown
  std::string unit;                ///< written after the numbers: "s", "%"; may be empty
  std::optional<double> value;     ///< the number that the paper gives
  double tolerance = 0;            ///< largest absolute difference from `value`
  bool relative = false;           ///< the file gives a share of `value`; `tolerance` is absolute
  std::optional<double> at_least;  ///< smallest number for which the claim holds
  std::optional<double> at_most;   ///< largest number for which the claim holds
  std::string sql;                 ///< one SELECT on the table `results` that returns one number
  std::string reason;              ///< why the claim does not hold; empty: not known, or it holds
  bool about_draws = false;        ///< about random platforms: judged over many draws if available
  std::string pointer;             ///< JSON pointer of the claim in its file
};

/// The contents of a claims file.
struct Claims {
  std::string path;  ///< of the file, for errors
  std::string title;
  std::vector<Claim> claims;  ///< at least one
};

/// Reads a claims file (schema: experiments/claims.schema.json). Throws InputError naming the file
/// and the JSON pointer.
Claims load_claims(const std::string& path);

/// Returns the number of an answer that is one row with one finite number, else nullopt.
std::optional<double> single_number(const std::vector<Row>& answer);
/// Returns true if `number` satisfies the claim, up to a rounding of 1e-9. NaN never does.
bool holds(const Claim& claim, double number);
/// Returns how far `number` is from satisfying the claim: 0 if it holds, else the distance to the
/// accepted range as a share of the expected number, at most 1. NaN returns 1.
double deviation(const Claim& claim, double number);
/// Returns a hash of the queries and the expected numbers, 14 hexadecimal digits. Files of campaign
/// values start each row with it, so that those of other claims are refused.
std::string claims_hash(const Claims& claims);

/// Statistics of a claim's number over many campaigns with other random platforms ("draws").
struct DrawStatistics {
  double low = 0;      ///< 5th percentile
  double median = 0;   ///< 50th percentile
  double high = 0;     ///< 95th percentile
  double below = 0;    ///< share of the draws below `value`, else `at_least`, else `at_most`
  double holding = 0;  ///< share of the draws in which the claim holds, 0 to 1
  /// The verdict without tolerances: whether `value` lies between `low` and `high`. A claim without
  /// `value` holds strictly if it holds in at least 5 % of the draws.
  bool strictly = false;
};

/// The number of calibrations that were tried, and in how many of them a claim holds.
struct CalibrationCount {
  std::int64_t tried = 0;
  std::int64_t holding = 0;
};

/// A claim with the number that the results give and the verdict.
struct CheckedClaim {
  Claim claim;
  double number = 0;
  bool holds = false;
  std::optional<DrawStatistics> draws = {};
  std::optional<CalibrationCount> calibrations = {};
};

/// Runs the query of each claim on `results`. Throws InputError naming the claim if its SQL is
/// wrong, takes more than 30 s, or does not return one number.
std::vector<CheckedClaim> check_claims(const Claims& claims, const ResultTable& results);

/// Reads the numbers of the claims from files that `starport vary` or `starport fit` wrote: one
/// vector per campaign, one number per claim, NaN where there is none. Throws InputError if a file
/// belongs to other claims or if there is no row.
std::vector<std::vector<double>> read_campaign_values(const std::vector<std::string>& paths,
                                                      const Claims& claims);

/// Computes the statistics of a claim over its numbers in some campaigns, at least one; NaN counts
/// as a campaign in which the claim does not hold. Leaves `strictly` false.
DrawStatistics draw_statistics(const Claim& claim, std::vector<double> numbers);

/// Judges the claims about random platforms by many draws instead of one: a claim holds if it holds
/// in at least 5 % of the draws, or if its `value` lies between the 5th and the 95th percentile.
/// Other claims stay as they are. `draws` comes from read_campaign_values().
void judge_by_draws(std::vector<CheckedClaim>& checked,
                    const std::vector<std::vector<double>>& draws);
/// Sets in how many calibrations each claim holds. `calibrations` comes from
/// read_campaign_values().
void count_calibrations(std::vector<CheckedClaim>& checked,
                        const std::vector<std::vector<double>>& calibrations);

/// Describes the range in which a claim holds: "2 s ± 10%", "at most 1.06".
std::string expected_text(const Claim& claim);
/// Escapes text for a cell of a Markdown table.
std::string markdown_cell(const std::string& text);

/// Summarises the verdicts in one line: "76 statements: 55 hold, 21 do not".
std::string verdict_summary(const std::vector<CheckedClaim>& checked);
/// Formats the verdicts as a Markdown section with one table row per claim; a claim that does not
/// hold shows its reason.
std::string claims_markdown(const Claims& claims, const std::vector<CheckedClaim>& checked);
/// Formats the verdicts as CSV (RFC 4180) with a header: source, statement, expected, ours, unit,
/// holds, reason.
std::string claims_csv(const std::vector<CheckedClaim>& checked);

}  // namespace starport
