#include "sim/report/comparison_text.hpp"

#include "sim/files/json.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/port.hpp"
#include "sim/process/version.hpp"
#include "sim/results/figure.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport {

using nlohmann::ordered_json;

namespace {

using Texts = std::vector<std::string>;

/// Returns the columns of all models; columns with the same heading are merged. Leaves out columns
/// that are empty, unless there is only one model, which requires them.
std::vector<Column> columns_of(const Comparison& comparison) {
  std::vector<Column> columns;
  for (const Model* model : comparison.models) {
    for (Column& column : model->presentation().columns(comparison.instance)) {
      const auto same = std::ranges::find_if(
          columns, [&](const Column& other) { return other.heading == column.heading; });
      if (same == columns.end()) {
        columns.push_back(std::move(column));
      } else {
        same->figures = merge_figures(same->figures, column.figures);
      }
    }
  }
  const auto is_empty = [&](const Column& column) {
    return std::ranges::none_of(comparison.records, [&](const Record& record) {
      return std::ranges::any_of(
          column.figures, [&](const Figure* figure) { return !is_none(record.figures[*figure]); });
    });
  };
  const bool several_models = comparison.models.size() > 1;
  std::erase_if(columns, [&](const Column& column) {
    return (column.optional || several_models) && is_empty(column);
  });
  return columns;
}

/// Formats a cell: the figures of the column that the record has, joined by "+".
std::string cell(const Column& column, const Record& record) {
  Texts parts;
  for (const Figure* figure : column.figures) {
    const Value value = record.figures[*figure];
    if (!is_none(value)) parts.push_back(format_value(column.form, value));
  }
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, "+"));
}

/// The first columns of a table of repeated runs: mean and interval instead of one makespan.
const Texts kRepeatedHeadings{"mean (s)", "95% interval (s)", "median (s)", "rel. cost",
                              "above the best"};

/// Formats the cells below kRepeatedHeadings.
Texts repeated_cells(const Record& record) {
  const Figures& figures = record.figures;
  const auto date = [&](const Figure& figure) { return format_value(Form::date, figures[figure]); };
  const double low = figures.real(kLowAboveBest);
  const double high = figures.real(kHighAboveBest);
  std::string above = fmt::format("{:.2f}% .. {:.2f}%", 100 * low, 100 * high);
  if (figures.real(kWithinNoise) != 0) above = low == high ? "-" : above + ", within noise";
  return {date(kMakespan), fmt::format("{} .. {}", date(kLowMakespan), date(kHighMakespan)),
          date(kMedianMakespan), format_value(kRelativeCost.form, figures[kRelativeCost]), above};
}

std::string noise_text(const Comparison& comparison) {
  std::size_t repetitions = 0;
  for (const Record& record : comparison.records) {
    repetitions = std::max(repetitions, record.makespans_s.size());
  }
  std::string text = fmt::format(
      "noise: {}; {} repetitions, with the same noise for every heuristic; 95% intervals of the "
      "mean (Student's t)\n",
      comparison.noise, repetitions);
  Texts pairs;
  for (const auto& [x, y] : pairs_within_noise(comparison)) pairs.push_back(x + " and " + y);
  if (std::ranges::count(comparison.records, Status::ok, &Record::status) < 2) return text;
  if (pairs.empty()) return text + "all differences between heuristics are larger than the noise\n";
  return text + fmt::format("differences within the noise: {}\n", fmt::join(pairs, ", "));
}

std::vector<const Record*> best_first(const Comparison& comparison) {
  std::vector<const Record*> ranked;
  for (const Record& record : comparison.records) ranked.push_back(&record);
  std::ranges::stable_sort(ranked, {}, [](const Record* record) {
    const bool ok = record->status == Status::ok;
    return std::pair(record->status, ok ? record->figures.real(kMakespan) : 0);
  });
  return ranked;
}

/// Returns a detail of a run as a sentence about its heuristic; details of unknown keys as "key:
/// value".
std::string describe_detail(const std::string& key, const std::string& value) {
  if (key == "layout") return "divides C into " + value;
  if (key == "modes") {  // "5 resident, 0 C-stationary"
    std::string workers = boost::replace_all_copy(value, " resident, ", "; that keep C: ");
    boost::replace_all(workers, " C-stationary", "");
    return "number of workers that keep A or B in memory: " + workers;
  }
  if (key == "schedule") {  // "that of ODDOML"
    return "runs the schedule of " + boost::replace_all_copy(value, "that of ", "") +
           ", which is better than its own";
  }
  if (key == "selection") return "best of its variants: " + value;
  if (key == "virtual_platform") return "virtual homogeneous platform: " + value;
  if (key == "q") return "side of the slower worker's square, in elements: " + value;
  if (key == "w") return "columns of the slower worker, in elements: " + value;
  if (key == "node_columns") return "number of columns of workers in C: " + value;
  if (key == "half_perimeters") return "sum of the half-perimeters, in blocks: " + value;
  return boost::replace_all_copy(key, "_", " ") + ": " + value;
}

std::string remarks_on(const Record& record) {
  if (record.status != Status::ok) {
    return fmt::format("{}: {}: {}\n", record.algorithm, to_string(record.status), record.error);
  }
  std::string text;
  for (const auto& [key, value] : record.details) {
    text += fmt::format("{}: {}\n", record.algorithm, describe_detail(key, value));
  }
  return text;
}

/// Explains how the models in one table differ; empty if there is only one.
std::string caveats(const Comparison& comparison) {
  if (comparison.models.size() < 2) return "";
  std::string text = "\nthe models of the rows differ:\n";
  const auto bounded = std::ranges::count_if(comparison.models, [&](const Model* model) {
    return std::ranges::count(model->presentation().columns(comparison.instance), "x bound",
                              &Column::heading) > 0;
  });
  if (bounded > 1) text += "  x bound: makespan over the bound of the row's own model\n";
  for (const Model* model : comparison.models) {
    Texts names;
    for (const Record& record : comparison.records) {
      if (record.model == model && record.status == Status::ok) names.push_back(record.algorithm);
    }
    if (names.empty()) continue;
    text += fmt::format("  {}: {}\n", fmt::join(names, ", "),
                        model->presentation().caveat(comparison.instance));
  }
  return text;
}

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

ordered_json record_json(const Comparison& comparison, const Record& record,
                         const FigureList& figures) {
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
  for (const auto& [key, value] : comparison.details_of(record)) json["details"][key] = value;
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

std::string to_table(const Comparison& comparison) {
  std::string text;
  for (const Model* model : comparison.models) {
    if (!comparison.has_attempts(*model)) continue;
    text += model->presentation().heading(comparison.instance, comparison.bounds_of(model));
  }
  if (text.empty()) text = comparison.instance.file.name + "\n";
  const bool repeated = comparison.has_repetitions();
  if (!comparison.noise.empty() && !repeated) text += "noise: " + comparison.noise + "\n";

  std::vector<Column> columns = columns_of(comparison);
  if (repeated) std::erase_if(columns, [](const Column& column) { return !column.repeated; });
  std::vector<Texts> rows{{"heuristic"}};
  const auto append = [&](const Texts& cells) {
    rows.back().insert(rows.back().end(), cells.begin(), cells.end());
  };
  if (repeated) append(kRepeatedHeadings);
  for (const Column& column : columns) append({column.heading});
  std::string remarks;
  for (const Record* record : best_first(comparison)) {
    remarks += remarks_on(*record);
    if (record->status != Status::ok) continue;
    rows.push_back({record->algorithm});
    if (repeated) append(repeated_cells(*record));
    for (const Column& column : columns) append({cell(column, *record)});
  }
  if (rows.size() > 1) text += "\n" + align(rows);
  for (const Model* model : comparison.models) {
    text += model->presentation().footnote(comparison, comparison.bounds_of(model));
  }
  if (repeated) text += "\n" + noise_text(comparison);
  text += caveats(comparison);
  if (!remarks.empty()) text += "\n" + remarks;
  return text;
}

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
    json["results"].push_back(record_json(comparison, record, figures));
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
