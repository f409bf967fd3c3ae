// The JSON Schema of `starport run --json`, from the table of figures.
#include "sim/report/comparison_text.hpp"
#include "sim/results/figure.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport {
namespace {

using nlohmann::ordered_json;

std::string description_of(const Figure& figure) {
  std::string text(figure.meaning);
  if (!figure.unit.empty()) text += fmt::format(" ({})", figure.unit);
  if (!figure.source.empty()) text += fmt::format("; {}", figure.source);
  return text;
}

ordered_json schema_of(const Figure& figure) {
  const char* type = figure.form == Form::yes_no  ? "boolean"
                     : figure.form == Form::count ? "integer"
                                                  : "number";
  return {{"type", type}, {"description", description_of(figure)}};
}

/// Returns the schema of an object whose keys are the figures of these scopes, all optional.
ordered_json figures_schema(const FigureList& figures, std::initializer_list<Scope> scopes) {
  ordered_json properties = ordered_json::object();
  for (const Figure* figure : figures) {
    if (std::ranges::find(scopes, figure->scope) == scopes.end()) continue;
    properties[std::string(figure->key)] = schema_of(*figure);
  }
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

ordered_json text() { return {{"type", "string"}}; }
ordered_json numbers() { return {{"type", "array"}, {"items", {{"type", "number"}}}}; }

/// Returns the schema of an object with these properties and no others.
ordered_json object(ordered_json properties, const std::vector<std::string>& required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", required},
          {"additionalProperties", false}};
}

/// Returns properties that are positive integers.
ordered_json integers(std::initializer_list<const char*> keys) {
  ordered_json properties;
  for (const char* key : keys) properties[key] = {{"type", "integer"}, {"minimum", 1}};
  return properties;
}

ordered_json result_schema(const Models& models) {
  const FigureList figures = figures_of(models);
  ordered_json names = ordered_json::array();
  for (const Model* model : models) names.push_back(model->name());
  ordered_json causes = ordered_json::array();
  for (const FailureCause cause : kFailureCauses) causes.push_back(to_string(cause));
  ordered_json properties{{"heuristic", text()},
                          {"status", {{"enum", {"ok", "error", "not applicable"}}}},
                          {"model", {{"enum", names}}},
                          {"error", text()},
                          {"cause", {{"enum", causes}}}};
  properties.update(figures_schema(figures, {Scope::run})["properties"]);
  properties["makespans_s"] = numbers();
  properties["details"] = {{"type", "object"}, {"additionalProperties", text()}};
  properties["workers"] = {{"type", "array"},
                           {"items", figures_schema(figures, {Scope::run, Scope::worker})}};
  ordered_json schema = object(std::move(properties), {"heuristic", "status"});
  schema["if"] = {{"properties", {{"status", {{"const", "ok"}}}}}};
  schema["then"] = {{"required", {"model", std::string(kMakespan.key), "details"}}};
  schema["else"] = {{"required", {"error"}}};
  return schema;
}

ordered_json certainty_schema() {
  const ordered_json share{{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
  const ordered_json item =
      object({{"heuristic", text()}, {"fastest", share}, {"beaten_by_first", share}},
             {"heuristic", "fastest", "beaten_by_first"});
  ordered_json schema = object({{"draws", {{"type", "integer"}, {"minimum", 1}}},
                                {"seed", {{"type", "integer"}, {"minimum", 0}}},
                                {"results", {{"type", "array"}, {"items", item}}}},
                               {"draws", "seed", "results"});
  schema["description"] =
      "On platforms drawn from the measured intervals of the platform's figures: the fastest few.";
  return schema;
}

}  // namespace

ordered_json results_schema(const Models& models) {
  ordered_json facts{{"name", text()},
                     {"c_s", {{"type", "number"}}},
                     {"w_s", {{"type", "number"}}},
                     {"m_blocks", {{"type", "integer"}}},
                     {"latency_s", {{"type", "number"}}}};
  facts.update(figures_schema(figures_of(models), {Scope::worker})["properties"]);
  const ordered_json worker = object(std::move(facts), {"c_s", "w_s", "m_blocks"});
  const ordered_json platform = object({{"name", text()},
                                        {"port", ordered_json::object()},
                                        {"workers", {{"type", "array"}, {"items", worker}}}},
                                       {"name", "port", "workers"});
  const ordered_json pair = {
      {"type", "array"}, {"items", text()}, {"minItems", 2}, {"maxItems", 2}};
  const ordered_json provenance = object({{"starport", text()},
                                          {"commit", text()},
                                          {"simgrid", text()},
                                          {"platform_file", text()},
                                          {"command", {{"type", "array"}, {"items", text()}}}},
                                         {"starport", "commit", "simgrid", "command"});
  ordered_json schema = object(
      {{"schema_version", {{"const", 2}}},
       {"platform", platform},
       {"problem", object(integers({"r", "s", "t", "block_size"}), {"r", "s", "t", "block_size"})},
       {"engine", {{"enum", {"simgrid", "analytic"}}}},
       {"noise", text()},
       {"bounds", figures_schema(figures_of(models), {Scope::instance, Scope::heading})},
       {"results", {{"type", "array"}, {"items", result_schema(models)}}},
       {"certainty", certainty_schema()},
       {"recommendation",
        object({{"heuristic", text()}, {"lines", {{"type", "array"}, {"items", text()}}}},
               {"heuristic", "lines"})},
       {"within_noise", {{"type", "array"}, {"items", pair}}},
       {"provenance", provenance}},
      {"schema_version", "platform", "problem", "engine", "bounds", "results", "provenance"});
  ordered_json document{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "Results of starport run --json"},
      {"description", "Made by `starport explain --schema` from the table of figures."}};
  document.update(schema);
  return document;
}

}  // namespace starport
