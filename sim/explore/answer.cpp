#include "sim/explore/answer.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/app/command_line.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/explore/sweep.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/process/version.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/report/page/html_page.hpp"
#include "sim/report/page/run_encoding.hpp"
#include "sim/report/plots/result_figures.hpp"
#include "sim/results/figure.hpp"
#include "sim/results/timeline.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <variant>

namespace starport {
namespace {

using nlohmann::ordered_json;

/// Slices that a browser still decodes and draws in a moment.
constexpr std::size_t kMaxSlices = 1'000'000;

/// A request, checked.
struct Query {
  Case instance;
  RunOptions options;
  /// The list of --heuristics that names all algorithms.
  std::string list;
  std::vector<NamedAlgorithm> algorithms;
};

/// Returns Polaris with little planning, under the same name; every other algorithm unchanged.
NamedAlgorithm with_little_effort(NamedAlgorithm named) {
  if (named.name == "Polaris") {
    named.algorithm = read_algorithms("Polaris[effort=low]", "heuristics").front().algorithm;
  }
  return named;
}

Query read_query(const JsonNode& request, double time_limit_s, const HeuristicNames& programs) {
  request.allow_only_keys({"platform", "problem", "block_size", "noise", "heuristics", "charts",
                           "view", "quick", "sweep", "page"});
  const PlatformFile file = parse_platform(request.at("platform").value(), "platform");
  const std::int64_t q = request.at("block_size").integer(1, kMaxBlockSize);
  Query query{.instance = {file, parse_problem(request.at("problem").text(), q, "problem")},
              .options = {.engine = EngineKind::analytic,
                          .limits = limits_per_process(time_limit_s, 1),
                          .worker_figures = true},
              .list = request.at("heuristics").text(),
              .algorithms = {}};
  const std::string noise = request.at("noise").text();
  // A file of noise would let a page read files.
  if (noise.ends_with(".json") || noise.find("samples=") != std::string::npos) {
    throw InputError("noise", "noise without files", "'" + noise + "'");
  }
  if (!noise.empty()) {
    query.options.noise = parse_noise(noise, "noise", 0, &file);
    check_workers(query.options.noise, file.size(), file.name, "noise");
  }
  if (query.list.empty()) query.list = suitable_algorithms(query.instance, query.options);
  query.algorithms = read_algorithms(query.list, "heuristics");
  for (const NamedAlgorithm& named : query.algorithms) {
    if (!is_program(named) || std::ranges::count(programs, named.name) > 0) continue;
    throw InputError("heuristics",
                     "heuristics of this program, of its plug-ins, and programs that "
                     "--heuristics of `starport explore` names",
                     named.name);
  }
  if (request.at("quick").boolean()) {
    query.options.isolated = false;
    std::ranges::transform(query.algorithms, query.algorithms.begin(), with_little_effort);
  }
  check(query.algorithms, query.instance, model_registry().models, query.options);
  return query;
}

/// Returns the entries of the list of workers: their names, and the figures that sliders set, with
/// the unit that a platform file gives them.
ordered_json entries_json(const PlatformFile& file) {
  ordered_json json = ordered_json::array();
  std::size_t first = 0;
  for (const PlatformFile::Entry& entry : file.entries) {
    const std::size_t end = first + static_cast<std::size_t>(entry.count);
    ordered_json fields = ordered_json::object();
    const auto add = [&](const char* key, double value, const char* unit, const std::string& text) {
      fields[key] = {{"value", value}, {"unit", unit}, {"text", text}};
    };
    if (const auto* raw = std::get_if<PlatformFile::Raw>(&entry.worker)) {
      add("c_s", raw->c_s, "", format_seconds(raw->c_s));
      add("w_s", raw->w_s, "", format_seconds(raw->w_s));
      add("m_blocks", static_cast<double>(raw->m_blocks), "", fmt::format("{}", raw->m_blocks));
      add("latency_s", raw->latency_s, "", format_seconds(raw->latency_s));
    } else if (const auto* physical = std::get_if<PlatformFile::Physical>(&entry.worker)) {
      add("bandwidth", physical->bandwidth_bytes_per_s, "Bps",
          format_bandwidth(physical->bandwidth_bytes_per_s));
      if (entry.devices.empty())
        add("speed", physical->speed_flops, "f", format_speed(physical->speed_flops));
      add("memory", physical->memory_bytes, "B", format_bytes(physical->memory_bytes));
      add("latency", physical->latency_s, "s", format_seconds(physical->latency_s));
    } else {
      const double speed = std::get<PlatformFile::MemorySharing>(entry.worker).speed_flops;
      add("speed", speed, "f", format_speed(speed));
    }
    json.push_back({{"name", file.names.format_range(first, end)}, {"fields", std::move(fields)}});
    first = end;
  }
  return json;
}

/// Returns the rectangles of C that each worker computes; null for algorithms that do not decide
/// this before the start.
ordered_json division_json(const NamedAlgorithm& algorithm, const Model& model,
                           const Case& instance) {
  try {
    const Division division = model.presentation().divide(algorithm, instance);
    ordered_json parts = ordered_json::array();
    for (const Division::Part& part : division.parts) {
      parts.push_back(
          {{"worker", part.worker}, {"box", {part.left, part.top, part.right, part.bottom}}});
    }
    return {{"about", division.about}, {"parts", std::move(parts)}};
  } catch (const InputError&) {
    return nullptr;
  } catch (const NotApplicable&) {
    return nullptr;
  } catch (const SimulationError&) {
    return nullptr;
  }
}

/// Returns the command that prints the same numbers, for the platform saved as platform.json.
std::string command_of(const Query& query, const JsonNode& request) {
  std::vector<std::string> words{"starport",
                                 "run",
                                 "platform.json",
                                 "--problem",
                                 request.at("problem").text(),
                                 "--block-size",
                                 fmt::format("{}", query.instance.problem.block_size),
                                 "--heuristics",
                                 query.list,
                                 "--engine",
                                 to_string(query.options.engine)};
  const std::string noise = request.at("noise").text();
  if (!noise.empty()) words.insert(words.end(), {"--noise", noise});
  return quote_for_shell(words);
}

/// Returns the lower bound in seconds that holds for a run, from the column "x bound"; null if its
/// model has none.
ordered_json bound_of(const Record& record, const Case& instance) {
  if (record.status != Status::ok) return nullptr;
  for (const Column& column : record.model->presentation().columns(instance)) {
    if (column.heading != "x bound") continue;
    for (const Figure* times : column.figures) {
      if (!is_none(record.figures[*times])) {
        return record.figures.real(kMakespan) / record.figures.real(*times);
      }
    }
  }
  return nullptr;
}

/// Returns the heuristics with the numbers of their colours, as in a figure of these results.
std::vector<std::pair<std::string, std::int64_t>> styles_of(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (const bool with_run : {true, false}) {  // figures show complete runs only
    for (const Record& record : records) {
      if ((record.status == Status::ok) == with_run) names.push_back(record.algorithm);
    }
  }
  return assign_styles(names, numbered_algorithms());
}

ordered_json compare_json(const Query& query, const JsonNode& request) {
  std::vector<std::string> wanted;
  for (const JsonNode& name : request.at("charts").elements()) wanted.push_back(name.text());
  const Models& models = model_registry().models;
  Comparison comparison = make_comparison(query.algorithms, query.instance, models, query.options);
  ordered_json charts = ordered_json::object();
  const auto run_one = [&](const NamedAlgorithm& named, bool with_chart) {
    RunOptions options = query.options;
    if (with_chart) {
      options.on_timeline = [&](const Timeline& timeline) {
        if (timeline.slices.size() > kMaxSlices) return;
        charts[named.name]["chart"] = describe_chart(timeline);
        // A page that stays on this machine is there sooner without compression.
        const std::string run = encode_run(timeline);
        if (request.has("page")) {
          charts[named.name]["packed"] = compress_to_base64(run);
        } else {
          charts[named.name]["slices"] = to_base64(run);
        }
      };
    }
    Record record = run(adapt_to_models(named, comparison.models), query.instance, models, options);
    // The division has no time limit: an algorithm that exceeds that of the run is not asked.
    if (with_chart && record.status == Status::ok) {
      charts[named.name]["division"] =
          division_json(named, model_of(*named.algorithm, models), query.instance);
    }
    return record;
  };
  for (const NamedAlgorithm& named : query.algorithms) {
    comparison.records.push_back(
        run_one(named, std::ranges::find(wanted, named.name) != wanted.end()));
  }
  if (charts.empty()) {
    const std::vector<const Record*> ranked = fastest_first(comparison);
    for (std::size_t i = 0; i < std::min<std::size_t>(2, ranked.size()); ++i) {
      const auto index = static_cast<std::size_t>(ranked[i] - comparison.records.data());
      run_one(query.algorithms[index], true);
    }
  }
  compute_relative_figures(comparison);
  comparison.provenance = {.simgrid_version = kSimgridVersion, .command = {"starport", "explore"}};
  ordered_json json{{"comparison", ordered_json::parse(to_json(comparison))},
                    {"entries", entries_json(query.instance.file)},
                    {"command", command_of(query, request)},
                    {"charts", std::move(charts)},
                    {"work", ordered_json::object()},
                    {"headings", ordered_json::array()}};
  for (const Record& record : comparison.records) {
    json["bounds_s"].push_back(bound_of(record, query.instance));
  }
  for (const auto& [name, style] : styles_of(comparison.records)) json["styles"][name] = style;
  for (const Model* model : comparison.models) {
    if (!comparison.has_attempts(*model)) continue;
    const std::string name(model->name());
    if (const Figure* work = model->presentation().work_figure()) json["work"][name] = work->key;
    const std::string heading =
        model->presentation().heading(query.instance, comparison.bounds_of(model));
    json["headings"].push_back(heading);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(query.instance.file.size()); ++i) {
    json["names"].push_back(query.instance.file.names[i]);
  }
  return json;
}

/// Returns the algorithms that the page offers, by group.
ordered_json groups_json(const HeuristicNames& programs) {
  ordered_json groups = ordered_json::object();
  const auto numbered = numbered_algorithms();
  const auto is_ours = [&](const AlgorithmEntry* entry) {
    return std::ranges::count(numbered, entry->name, &std::pair<std::string, std::int64_t>::first);
  };
  for (const AlgorithmEntry* entry : algorithm_entries()) {
    if (!entry->argument.empty()) continue;
    std::string group = entry->groups.empty() ? "others" : entry->groups.back();
    if (group == "adaptive" || group == "polaris") group = "others";
    if (is_ours(entry) == 0) group = "yours";
    groups[group].push_back({{"name", entry->name}, {"about", entry->description}});
  }
  for (const std::string& name : programs) {
    groups["yours"].push_back({{"name", name}, {"about", "a program"}});
  }
  return groups;
}

}  // namespace

bool is_program(const NamedAlgorithm& named) {
  return named.name.substr(0, named.name.find('[')).find(':') != std::string::npos;
}

nlohmann::ordered_json compute_answer(const nlohmann::json& document, double time_limit_s,
                                      const HeuristicNames& programs) {
  const JsonNode request(document);
  const Query query = read_query(request, time_limit_s, programs);
  ordered_json sweep;
  if (const auto asked = request.find("sweep"); asked && asked->is_object()) {
    std::vector<NamedAlgorithm> quick = query.algorithms;  // a curve has dozens of points
    std::ranges::transform(quick, quick.begin(), with_little_effort);
    sweep = sweep_json(*asked, query.instance, quick, query.options);
    if (!request.has("page")) return sweep;
  }
  ordered_json answer = compare_json(query, request);
  if (!request.has("page")) return answer;
  answer["sweep"] = sweep;
  nlohmann::json state = document;
  state.erase("page");
  return {{"page", explorer_page(state, answer, programs)}};
}

std::string answer_request(const std::string& request, double time_limit_s,
                           const HeuristicNames& programs) {
  try {
    return to_json_line(compute_answer(parse_json(request, "request"), time_limit_s, programs));
  } catch (const std::exception& error) {
    return to_json_line(ordered_json{{"error", error.what()}});
  }
}

std::string explorer_page(const nlohmann::json& state, const ordered_json& answer,
                          const HeuristicNames& programs) {
  return explorer_html({{"state", state}, {"answer", answer}, {"groups", groups_json(programs)}});
}

}  // namespace starport
