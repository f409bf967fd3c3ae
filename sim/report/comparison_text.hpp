// Views of a comparison: a table for people, JSON with its schema, and a recommendation.
#pragma once

#include "sim/results/comparison.hpp"

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Formats a comparison of algorithms as text for a terminal that ends in a newline: platform and
/// product as each model describes them, a table with a row per complete run (status ok; smallest
/// makespan first), then remarks, among them the reasons why algorithms failed or do not apply.
/// Without a complete run there is no table. Relative costs and ratios to bounds are missing unless
/// compute_relative_figures() was called before. The models of the comparison must still exist.
std::string to_table(const Comparison& comparison);
/// Formats a comparison of algorithms as one indented JSON object that ends in a newline and that
/// results_schema() describes; its runs are in the order of the records. Dates are in simulated
/// seconds. A platform that PlatformFile::at_block_size() rejects, such as one that is no star, has
/// no workers there. Call compute_relative_figures() before: relative values are missing otherwise,
/// and the recommendation says "nan%". The models of the comparison must still exist.
std::string to_json(const Comparison& comparison);

/// Returns a JSON object with the figures (declarations of reported values) in `list` (none null)
/// whose Figure::scope (what they describe, such as a run or a worker) is one of `scopes` and that
/// have a value in `figures`, by the key of the figure, in the order of `list` and in the unit of
/// the figure: yes/no figures as booleans, others as numbers. Empty if there are none.
nlohmann::ordered_json figures_json(const FigureList& list, const Figures& figures,
                                    std::initializer_list<Scope> scopes);

/// Returns the JSON Schema (draft 7) of the text that to_json() writes for comparisons of `models`,
/// none null.
nlohmann::ordered_json results_schema(const Models& models);

/// Advice which algorithm to run on a platform: the name of the fastest one in a comparison, and
/// sentences that say why. The result of recommend(); owns its texts.
struct Recommendation {
  /// Name of the recommended algorithm, the one with the smallest makespan; of several, the first
  /// in the comparison.
  std::string algorithm;
  /// Explanation, one to four lines of sentences without newlines: the makespan and how much longer
  /// the next algorithms take; then, each only where known, on which percentage of platforms drawn
  /// from the confidence intervals of the measurements it is faster than each of the next fastest
  /// algorithms (at most three), the workers' shares of the work, and what limits the run.
  std::vector<std::string> lines;
};

/// Returns advice which algorithm of a comparison to run, that of the complete run (status ok) with
/// the smallest makespan; nullopt unless at least two runs are complete. Simulates nothing. Call
/// compute_relative_figures() before: differences are given as "nan%" otherwise. The models of the
/// comparison must still exist.
std::optional<Recommendation> recommend(const Comparison& comparison);
/// Formats the recommendation for a comparison as text to be printed after its table: a blank line,
/// then the lines of the recommendation, each ending in a newline. Empty if fewer than two runs are
/// complete. Call compute_relative_figures() before: differences are given as "nan%" otherwise. The
/// models of the comparison must still exist.
std::string recommendation_text(const Comparison& comparison);

}  // namespace starport
