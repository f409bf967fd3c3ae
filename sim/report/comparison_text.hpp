// Views of a comparison: a table for people, JSON with its schema, and a recommendation.
#pragma once

#include "sim/results/comparison.hpp"

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Formats a comparison as text for a terminal: the instance as each model describes it, a table
/// with a row per algorithm (smallest makespan first), then remarks.
std::string to_table(const Comparison& comparison);
/// Formats a comparison as one JSON object, which results_schema() describes.
std::string to_json(const Comparison& comparison);

/// Returns the figures of these scopes that have a value, as a JSON object by key.
nlohmann::ordered_json figures_json(const FigureList& list, const Figures& figures,
                                    std::initializer_list<Scope> scopes);

/// Returns the JSON Schema of to_json() for the figures of these models.
nlohmann::ordered_json results_schema(const Models& models);

/// Advice drawn from a comparison: which algorithm to run, and why.
struct Recommendation {
  std::string algorithm;  ///< the one with the smallest makespan
  /// Sentences: the makespan and what the next algorithms lose; how sure that is; each worker's
  /// share of the work; what the platform should have more of.
  std::vector<std::string> lines;
};

/// Returns the recommendation; nullopt unless at least two runs are complete.
std::optional<Recommendation> recommend(const Comparison& comparison);
/// Formats the recommendation as text that follows a table; empty if there is none.
std::string recommendation_text(const Comparison& comparison);

}  // namespace starport
