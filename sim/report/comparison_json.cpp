// Formats a comparison as JSON.
#include "sim/files/json.hpp"
#include "sim/platform/port.hpp"
#include "sim/process/version.hpp"
#include "sim/report/comparison_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport {

using nlohmann::ordered_json;

namespace {

/// Formats the platform: its port, and each worker with the figures that are known before a run.
ordered_json platform_json(const Comparison& comparison) {
  const auto& [file, problem] = comparison.instance;
  const Platform platform = file.star_or_empty(problem.block_size);
  ordered_json workers = ordered_json::array();
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    const Worker& worker = platform.workers[i];
    ordered_json& json = workers.emplace_back(ordered_json::object());
    if (platform.names.has_given_names()) json["name"] = platform.names[i];
    json.update({{"c_s", worker.c_s},
                 {"w_s", worker.w_s},
                 {"m_blocks", worker.m_blocks},
                 {"latency_s", worker.latency_s}});
  }
  for (const Model* model : comparison.models) {
    const std::vector<Figures> facts = model->presentation().worker_facts(comparison.instance);
    for (std::size_t i = 0; i < facts.size(); ++i) {
      workers[i].update(figures_json(model->figures(), facts[i], {Scope::worker}));
    }
  }
  return {{"name", platform.name}, {"port", to_json(platform.port)}, {"workers", workers}};
}

ordered_json record_json(const Record& record, const FigureList& figures) {
  ordered_json json{{"heuristic", record.algorithm}, {"status", to_string(record.status)}};
  if (record.model != nullptr) json["model"] = record.model->name();
  if (record.status != Status::ok) {
    json["error"] = record.error;
    if (record.status == Status::error) json["cause"] = to_string(record.cause);
    return json;
  }
  json.update(figures_json(figures, record.figures, {Scope::run}));
  if (!record.makespans_s.empty()) json["makespans_s"] = record.makespans_s;
  json["details"] = ordered_json::object();
  for (const auto& [key, value] : record.details) json["details"][key] = value;
  json["workers"] = ordered_json::array();
  for (const Figures& worker : record.workers) {
    json["workers"].push_back(figures_json(figures, worker, {Scope::run, Scope::worker}));
  }
  return json;
}

ordered_json ranking_confidence_json(const RankingConfidence& confidence) {
  ordered_json json{{"draws", confidence.draws}, {"seed", confidence.seed}};
  json["results"] = ordered_json::array();
  for (const RankingConfidence::Share& share : confidence.shares) {
    json["results"].push_back({{"heuristic", share.algorithm},
                               {"fastest", share.fastest},
                               {"beaten_by_first", share.beaten}});
  }
  return json;
}

}  // namespace

ordered_json figures_json(const FigureList& list, const Figures& figures,
                          std::initializer_list<Scope> scopes) {
  ordered_json json = ordered_json::object();
  for (const Figure* figure : list) {
    if (std::ranges::find(scopes, figure->scope) == scopes.end()) continue;
    const Value value = figures[*figure];
    if (is_none(value)) continue;
    const std::string key(figure->key);
    if (figure->form == Form::yes_no) {
      json[key] = real(value) != 0;
    } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      json[key] = *integer;
    } else {
      json[key] = std::get<double>(value);
    }
  }
  return json;
}

std::string to_json(const Comparison& comparison) {
  ordered_json json{{"schema_version", 2},
                    {"platform", platform_json(comparison)},
                    {"problem", to_json(comparison.instance.problem)},
                    {"engine", to_string(comparison.engine)}};
  if (!comparison.noise.empty()) json["noise"] = comparison.noise;
  json["bounds"] = ordered_json::object();
  for (const Model* model : comparison.models) {
    json["bounds"].update(figures_json(model->figures(), comparison.bounds_of(model),
                                       {Scope::instance, Scope::heading}));
  }
  json["results"] = ordered_json::array();
  const FigureList figures = figures_of(comparison.models);
  for (const Record& record : comparison.records) {
    json["results"].push_back(record_json(record, figures));
  }
  if (comparison.ranking_confidence) {
    json["certainty"] = ranking_confidence_json(*comparison.ranking_confidence);
  }
  if (const auto best = recommend(comparison)) {
    json["recommendation"] = {{"heuristic", best->algorithm}, {"lines", best->lines}};
  }
  if (comparison.has_repetitions()) json["within_noise"] = pairs_within_noise(comparison);
  json["provenance"] = {{"starport", kVersion},
                        {"commit", kCommit},
                        {"simgrid", comparison.provenance.simgrid_version},
                        {"platform_file", comparison.instance.file.path},
                        {"command", comparison.provenance.command}};
  return to_indented_json(json);
}

}  // namespace starport
