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
  std::string place;   ///< JSON pointer
};

struct Claims {
  std::string path;
  std::string title;
  std::vector<Claim> claims;
};

/// Reads a claims file (format: experiments/README.md). Throws InputError.
Claims load_claims(const std::string& path);

struct CheckedClaim {
  Claim claim;
  double ours = 0;
  bool holds = false;
};

/// Throws InputError naming the claim when its SQL is wrong or does not give one number.
std::vector<CheckedClaim> check_claims(const Claims& claims, const ResultTable& results);

/// "2 s ± 10%", "at most 1.06".
std::string expected_text(const Claim& claim);

/// "76 statements: 55 hold, 21 do not".
std::string count_text(const std::vector<CheckedClaim>& checked);
/// A Markdown table under its title; a reason stands under the statement that does not hold.
std::string claims_markdown(const Claims& claims, const std::vector<CheckedClaim>& checked);
/// A row per claim: source, statement, expected, ours, unit, holds, reason (RFC 4180).
std::string claims_csv(const std::vector<CheckedClaim>& checked);

}  // namespace starport
