// Claims: statements of a paper as numbers with tolerances, checked against the results of a sweep.
#pragma once

#include "sim/report/database/result_table.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// One statement of a paper, reduced to one number: the SQL query that computes this number from a
/// table of results, and the range of numbers for which the statement holds. Either `value` is set,
/// with `tolerance`, or at least one of `at_least` and `at_most`. Made by load_claims(); owns its
/// texts.
struct Claim {
  /// Section or figure of the paper that makes the statement.
  std::string source;
  /// The statement as a sentence, in Markdown.
  std::string statement;
  /// Unit of all numbers of the claim (statement of a paper), written after them: "s", "%"; empty
  /// for a ratio or a count.
  std::string unit;
  /// The number that the paper gives, in `unit`; nullopt if the claim is about a limit only.
  std::optional<double> value;
  /// Largest accepted difference from `value`, absolute and in `unit`, 0 or more; must be 0 without
  /// `value` (not checked).
  double tolerance = 0;
  /// True if the claims file gives the tolerance as a share of `value`; expected_text() then shows
  /// it in percent. `tolerance` itself is absolute in either case.
  bool relative = false;
  /// Smallest number for which the claim (statement of a paper) holds, in `unit`; nullopt: no lower
  /// limit.
  std::optional<double> at_least;
  /// Largest number for which the claim (statement of a paper) holds, in `unit`; nullopt: no upper
  /// limit.
  std::optional<double> at_most;
  /// One SELECT statement (SQLite) on the table `results`, the results of a sweep, that returns one
  /// row with one number: that of the claim.
  std::string sql;
  /// Explanation, in Markdown, why the statement does not hold in the results, as the claims file
  /// gives it, even if it does hold; empty if the file gives none.
  std::string reason;
  /// True if the claim is about random platforms (key "draws"), so that judge_by_draws() judges it
  /// by many campaigns with other random platforms (draws) instead of one.
  bool about_draws = false;
  /// JSON pointer (RFC 6901) to the claim (statement of a paper) in its file, for error messages.
  std::string pointer;
};

/// The content of a claims file: its path and title, and the statements of one paper that can be
/// checked, each with its SQL query and the range of numbers for which it holds. Made by
/// load_claims(); owns its texts.
struct Claims {
  /// Path of the claims file (a list of statements of a paper) as it was opened, for error
  /// messages.
  std::string path;
  /// Title of the claims file, which is the heading of reports.
  std::string title;
  /// The claims (statements of a paper that can be checked) in the order of the file; load_claims()
  /// returns at least one.
  std::vector<Claim> claims;
};

/// Reads the claims file at `path`, a list of statements of a paper with SQL queries to check them
/// (schema: experiments/claims.schema.json), and checks its form; runs no query. Throws InputError
/// that names the file, and the JSON pointer of the fault if there is one, if the file cannot be
/// read or is invalid, also if it has no claim.
Claims load_claims(const std::string& path);

/// Returns the number in the answer of an SQL query if the answer is one row with one column that
/// holds an integer or a finite real; nullopt for any other answer (no row, several rows or
/// columns, text, NULL, infinity).
std::optional<double> single_number(const std::vector<Row>& answer);
/// Returns true if `number` (in the claim's unit) satisfies the claim, i.e. lies in the range for
/// which this statement of a paper holds, up to a rounding error of 1e-9 of the expected number
/// (`value`, or the limit). NaN never does. Requires a claim with `value`, `at_least` or `at_most`;
/// without any of them the result is true.
bool holds(const Claim& claim, double number);
/// Returns how far `number` (in the claim's unit) is from satisfying the claim, a statement of a
/// paper: 0 if it holds, else the distance to the accepted range divided by the absolute value of
/// the expected number (`value`, or the limit that is missed), at most 1. Returns 1 for NaN, and if
/// it does not hold and the expected number is 0. A claim without `value`, `at_least` and `at_most`
/// gives 0.
double deviation(const Claim& claim, double number);
/// Returns a hash of the SQL queries and of the expected_text() (accepted numbers) of the claims,
/// in their order, as 14 hexadecimal digits; changes beyond the fourth significant digit of an
/// expected number, or the third of a tolerance, do not count. Rows of campaign files start their
/// column `input` with it, so that files written for other claims are refused. Requires claims with
/// `value`, `at_least` or `at_most` (undefined behaviour otherwise).
std::string claims_hash(const Claims& claims);

/// Statistics of one claim's number over many campaigns with other random platforms ("draws"), made
/// by draw_statistics(). Percentiles, interpolated linearly, are in the unit of the claim and leave
/// out draws without a number; shares are relative to all draws, 0 to 1.
struct DrawStatistics {
  /// 5th percentile, in the claim's unit, of the claim's number over the draws (campaigns on other
  /// random platforms) that have one; NaN if none has.
  double low = std::numeric_limits<double>::quiet_NaN();
  /// Median, in the claim's unit, of the claim's number over the draws (campaigns on other random
  /// platforms) that have one; NaN if none has.
  double median = std::numeric_limits<double>::quiet_NaN();
  /// 95th percentile, in the claim's unit, of the claim's number over the draws (campaigns on other
  /// random platforms) that have one; NaN if none has.
  double high = std::numeric_limits<double>::quiet_NaN();
  /// Share of all draws (campaigns on other random platforms), 0 to 1, whose number is less than
  /// the paper's: than the claim's `value`, else its `at_least`, else its `at_most`. A draw without
  /// a number is not among them.
  double below = 0;
  /// Share of all draws (campaigns on other random platforms), 0 to 1, in which the claim holds; in
  /// a draw without a number it does not.
  double holding = 0;
  /// The verdict on the claim without tolerances, set by judge_by_draws(): whether its `value` lies
  /// between `low` and `high`, the 5th and 95th percentiles (both included). A claim without
  /// `value` holds strictly if it holds in at least 5 % of the draws.
  bool strictly = false;
};

/// Returns the percentiles for people, "1.02 / 1.11 / 1.3" (5th, median, 95th; four significant
/// digits), or "no number" if no draw has one.
std::string percentiles_text(const DrawStatistics& draws);

/// Number of calibrations in which a claim holds, and the number of those tried. A calibration is a
/// choice of values for the parameters that the paper does not give.
struct CalibrationCount {
  /// Number of calibrations (choices of the parameters that the paper does not give) that were
  /// tried.
  std::int64_t tried = 0;
  /// Number of tried calibrations (choices of the parameters that the paper does not give) in which
  /// the claim, a statement of the paper, holds; 0 to `tried`.
  std::int64_t holding = 0;
};

/// A claim (a statement of a paper) with the number that the results of a sweep give for it and the
/// verdict. Made by check_claims(); has its own copy of the claim.
struct CheckedClaim {
  /// The claim (statement of a paper) that was checked.
  Claim claim;
  /// Number that the claim's query returned on the results, finite and in the claim's unit.
  double number = 0;
  /// Verdict: whether `number` satisfies the claim; after judge_by_draws(), for a claim about
  /// random platforms, whether it holds over its `draws` (campaigns on other random platforms).
  bool holds = false;
  /// Statistics of the claim's number over many campaigns with other random platforms (draws);
  /// nullopt unless judge_by_draws() was called and the claim is about random platforms.
  std::optional<DrawStatistics> draws = {};
  /// Count of the calibrations (choices of the parameters that the paper does not give) in which
  /// the claim holds; nullopt before count_calibrations().
  std::optional<CalibrationCount> calibrations = {};
};

/// Checks the claims, statements of a paper: runs the SQL query of each on `results`, one after the
/// other, each in a forked child process, and returns the verdicts in the order of the claims.
/// Throws InputError, naming the claims file and the claim, at the first query whose SQL is wrong,
/// that takes more than 30 s (wall clock; plus 20 s for each million rows) or 256 MiB, or that does
/// not return one finite number, and also if temporary files have no room; MachineError if a child
/// process is killed or cannot be created, SimulationError if it crashes. Call it from a process
/// with one thread.
std::vector<CheckedClaim> check_claims(const Claims& claims, const ResultTable& results);

/// In what the campaigns of a file of `starport fit` differ from each other: random changes, such
/// as other random platforms (options --platforms, --within and --runs), or the values or readings
/// of parameters (a search, or --readings).
enum class CampaignKind : std::uint8_t { variation, calibration };

/// Reads the numbers of the claims from CSV files that `starport fit` wrote, at least one file (not
/// checked: undefined behaviour): element [k][i] is the number of claim i in row k (a campaign),
/// both from 0, in the order of the files and their rows; NaN where there is none. Throws
/// InputError, naming the file, if a file cannot be read or is malformed, belongs to other claims,
/// has campaigns of another kind than `kind` (by whether it has columns of parameters), lacks a
/// column or has a text instead of a number, or, naming the first one, if no file has a row.
std::vector<std::vector<double>> read_campaign_values(const std::vector<std::string>& paths,
                                                      const Claims& claims, CampaignKind kind);

/// Computes the statistics of a claim (a statement of a paper) over `numbers`, its number in each
/// of several campaigns on other random platforms: percentiles in the claim's unit, shares of
/// campaigns from 0 to 1. NaN counts as a campaign in which the claim does not hold. `claim` must
/// have a value or a limit, and `numbers` at least one element (`holding` is NaN otherwise);
/// neither is checked. Leaves `strictly` (set by judge_by_draws()) false.
DrawStatistics draw_statistics(const Claim& claim, std::vector<double> numbers);

/// Judges the claims about random platforms by many campaigns with other random platforms (draws)
/// instead of one: a claim holds if its numbers satisfy it in at least 5 % of the draws, or if the
/// number that the paper gives (Claim::value) lies between the 5th and the 95th percentile (both
/// included) of its numbers in the draws. Sets `holds` and `draws` of the claims about random
/// platforms (Claim::about_draws); other claims stay as they are. `draws` is the answer of
/// read_campaign_values() for the same claims: not empty, with one number per claim in the order of
/// `checked` (not checked: undefined behaviour with fewer numbers).
void judge_by_draws(std::vector<CheckedClaim>& checked,
                    const std::vector<std::vector<double>>& draws);
/// Sets `calibrations` of each checked claim: how many calibrations (choices of the parameters that
/// the paper does not give) were tried, and in how many of them it holds. `calibrations` is the
/// answer of read_campaign_values() for the same claims, one vector per calibration with one number
/// per claim in the order of `checked` (not checked: undefined behaviour with fewer numbers); an
/// empty list gives 0 of 0.
void count_calibrations(std::vector<CheckedClaim>& checked,
                        const std::vector<std::vector<double>>& calibrations);

/// Describes the numbers for which a claim (a statement of a paper) holds, with the unit and
/// without a newline: "2 s ± 10%", "2 s ± 0.1", "at most 1.06", "1 to 2 s" (UTF-8); to four
/// significant digits, tolerances to three. Requires a claim with `value`, `at_least` or `at_most`
/// (undefined behaviour otherwise).
std::string expected_text(const Claim& claim);
/// Returns `text` for a cell of a Markdown table: each | becomes \|, everything else stays, line
/// breaks included.
std::string markdown_cell(const std::string& text);

/// Summarises the verdicts on the claims in one line without a newline: "76 statements: 55 hold, 21
/// do not". If any claim has `draws` (see judge_by_draws()), adds how many hold when
/// DrawStatistics::strictly replaces the verdict on each claim with `draws`. An empty list gives "0
/// statements: 0 hold, 0 do not".
std::string verdict_summary(const std::vector<CheckedClaim>& checked);
/// Formats the verdicts on the claims as a Markdown section that ends in a newline: the title of
/// `claims`, a summary, and a table with one row per element of `checked`; a claim that does not
/// hold shows its reason, if it has one. A column for draws appears if a claim has `draws` (see
/// judge_by_draws()), one for calibrations if the first claim has `calibrations` (see
/// count_calibrations()).
std::string claims_markdown(const Claims& claims, const std::vector<CheckedClaim>& checked);
/// Formats the verdicts on the claims as CSV (RFC 4180, lines end in CR LF) with the header
/// source,statement,expected,ours,unit,holds,reason and one row per claim. `expected` is the text
/// of expected_text(), `ours` the number that our results give, in `unit` and full precision,
/// `holds` is yes or no, and `reason` is empty if the claim holds.
std::string claims_csv(const std::vector<CheckedClaim>& checked);

}  // namespace starport
