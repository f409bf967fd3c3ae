// What a paper says, checked against results.
#pragma once

#include "sim/report/database/result_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport {

/// A figure that a paper gives, or that a statement of its text comes to, and how near the same
/// figure of the results must be.
struct Claim {
  std::string source;     ///< section or figure
  std::string statement;  ///< in our words
  std::string unit;       ///< after the figures: "s", "%", ...; may be empty
  std::optional<double> value;
  double tolerance = 0;   ///< of value, absolute
  bool relative = false;  ///< the tolerance was given as a share of the value
  std::optional<double> at_least;
  std::optional<double> at_most;
  std::string sql;     ///< one SELECT of one number from `results`
  std::string reason;  ///< why it does not hold, as far as that is known; may be empty
  bool draws = false;  ///< about platforms that are drawn: judged over many draws where there are
  std::string place;   ///< JSON pointer
};

struct Claims {
  std::string path;
  std::string title;
  std::vector<Claim> claims;
};

/// Reads a claims file (format: experiments/README.md). Throws InputError.
Claims load_claims(const std::string& path);

/// The number that an answer is: one row of one number.
std::optional<double> number_in(const std::vector<Row>& answer);
bool holds(const Claim& claim, double ours);
/// How far from holding a figure is, from 0 (it holds) to 1: as a share of what was expected.
double miss(const Claim& claim, double ours);
/// Of the questions and what is expected of them, for files that have their answers.
std::string fingerprint(const Claims& claims);

/// A statement's figure over many draws of what the paper does not publish.
struct DrawnFigures {
  double low = 0, median = 0, high = 0;  ///< at 5%, 50% and 95%
  double below = 0;                      ///< the share of draws below the paper's figure
  double holding = 0;                    ///< the share in which the statement holds
  /// Whether it holds where a paper's figure must itself lie between low and high, whatever its
  /// tolerance.
  bool strictly = false;
};
/// How many calibrations were tried, and in how many of them it holds.
struct Tried {
  std::int64_t calibrations = 0;
  std::int64_t holding = 0;
};

struct CheckedClaim {
  Claim claim;
  double ours = 0;
  bool holds = false;
  std::optional<DrawnFigures> drawn = {};
  std::optional<Tried> tried = {};
};

/// Throws InputError naming the claim when its SQL is wrong or does not give one number.
std::vector<CheckedClaim> check_claims(const Claims& claims, const ResultTable& results);

/// "2 s ± 10%", "at most 1.06".
std::string expected_text(const Claim& claim);
/// Inside a cell of a Markdown table.
std::string markdown_cell(const std::string& text);

/// "76 statements: 55 hold, 21 do not".
std::string count_text(const std::vector<CheckedClaim>& checked);
/// A Markdown table under its title; a reason stands under the statement that does not hold.
std::string claims_markdown(const Claims& claims, const std::vector<CheckedClaim>& checked);
/// A row per claim: source, statement, expected, ours, unit, holds, reason (RFC 4180).
std::string claims_csv(const std::vector<CheckedClaim>& checked);

}  // namespace starport
