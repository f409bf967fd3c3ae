// A comparison as text: for people, and for programs.
#pragma once

#include "sim/results/comparison.hpp"

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>
#include <string>

namespace starport {

/// For people: the instance as each model sees it, then a row per algorithm, best first.
std::string to_table(const Comparison& comparison);
/// One JSON object; its schema is results_schema().
std::string to_json(const Comparison& comparison);

/// The figures of the scopes that there are, by key.
nlohmann::ordered_json figures_json(const FigureList& list, const Figures& figures,
                                    std::initializer_list<Scope> scopes);

/// The JSON Schema of to_json(), from the figures of some models.
nlohmann::ordered_json results_schema(const Models& models);

}  // namespace starport
