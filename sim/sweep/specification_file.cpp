#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/results/figure.hpp"
#include "sim/sweep/specification.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace starport {
namespace {

constexpr std::int64_t kMostRepetitions = 1'000'000;

/// Calls `visit` for each experiment that is a JSON object; other values are left to the reader,
/// which reports them.
template <class Visit>
void for_each_experiment(nlohmann::ordered_json& document, Visit visit) {
  if (!document.is_object() || !document.contains("experiments")) return;
  if (!document["experiments"].is_array()) return;
  for (auto& experiment : document["experiments"]) {
    if (experiment.is_object()) visit(experiment);
  }
}

/// Replaces the names of platform files and of noise samples by the contents of the files. `noise`,
/// unless empty, becomes the noise of every experiment. Adds the files to `inputs`.
void resolve(nlohmann::ordered_json& document, const std::filesystem::path& directory,
             const nlohmann::ordered_json& noise,
             std::vector<std::pair<std::string, std::string>>& inputs) {
  const auto read = [&](const nlohmann::ordered_json& name) {
    const std::filesystem::path given = directory / name.get<std::string>();
    std::filesystem::path shown = given.lexically_normal();
    // Behind a symbolic link to a folder, ".." leads elsewhere than its text says.
    std::error_code error;
    if (std::filesystem::exists(directory, error) &&
        !std::filesystem::equivalent(given, shown, error)) {
      shown = given;
    }
    const std::string path = shown.string();
    std::pair input(path, read_file(path));
    auto json = parse_ordered_json(input.second, path);
    if (std::ranges::find(inputs, input) == inputs.end()) inputs.push_back(std::move(input));
    return json;
  };
  for_each_experiment(document, [&](auto& experiment) {
    if (!experiment.contains("platforms") || !experiment["platforms"].is_array()) return;
    for (auto& platform : experiment["platforms"]) {
      if (platform.is_string()) platform = {{"file", platform}, {"platform", read(platform)}};
    }
  });
  for_each_experiment(document, [&](auto& experiment) {
    const bool own = experiment.contains("noise");
    if (own && !noise.empty()) {
      throw InputError("--noise", "a specification without noise of its own", "one with");
    }
    if (!noise.empty()) experiment["noise"] = noise;
    if (!experiment.contains("noise") || !experiment["noise"].is_object()) return;
    const auto samples = experiment["noise"].find("samples");
    if (samples == experiment["noise"].end() || !samples->is_string()) return;
    auto measured = read(*samples);
    if (measured.is_object()) measured["file"] = *samples;
    *samples = std::move(measured);
  });
}

std::string read_name(const JsonNode& node) {
  std::string name = node.text();
  if (name.empty()) throw node.fault("a name on one line");
  return name;
}

/// Reads one element of the platform axis: a file is one source, a generator may be several.
std::vector<PlatformSource> read_platform(const JsonNode& node, const std::string& specification) {
  node.allow_only_keys({"file", "platform", "generate"});
  if (const auto generate = node.find("generate")) {
    node.allow_only_keys({"generate"});
    return read_generator(*generate);
  }
  const JsonNode platform = node.at("platform");
  const auto file = node.find("file");
  try {
    PlatformFile read = parse_platform(platform.value(), file ? file->text() : "");
    if (read.name.empty())
      throw InputError("/name", "a name on one line", "\"\"").in_file(read.path);
    return {{std::move(read)}};
  } catch (const InputError& error) {
    if (file) throw;
    throw InputError(platform.pointer() + error.place, error.expected, error.found, error.hint)
        .in_file(specification);
  }
}

/// Reads the algorithms of an experiment and the names of their rows.
void read_algorithms(const JsonNode& node, const ModelRegistry& registry, Experiment& experiment) {
  experiment.algorithms_by_row.clear();
  std::string list;
  std::map<std::string, std::string> names;  // of rows, by algorithm
  for (const JsonNode& element : node.elements()) {
    if (element.is_object()) {
      element.allow_only_keys({"name", "run"});
      const auto requested =
          registry.read_algorithms(element.at("run").text(), element.pointer() + "/run");
      if (requested.size() != 1) throw element.at("run").fault("one heuristic");
      const auto name = read_name(element.at("name"));
      if (!names.emplace(requested.front().name, name).second)
        throw element.at("run").fault("a heuristic that no other row runs");
      list += (list.empty() ? "" : ",") + requested.front().name;
      continue;
    }
    if (element.text().empty()) throw element.fault("the name of a heuristic");
    list += (list.empty() ? "" : ",") + element.text();
  }
  if (list.empty()) throw node.fault("at least one heuristic");
  auto algorithms = registry.read_algorithms(list, node.pointer());
  for (NamedAlgorithm& named : algorithms) {
    const auto renamed = names.find(named.name);
    if (renamed == names.end()) continue;
    experiment.algorithms_by_row[renamed->second] = named.name;
    named.name = renamed->second;
  }
  for (const NamedAlgorithm& named : algorithms) {
    if (std::ranges::count(algorithms, named.name, &NamedAlgorithm::name) > 1) {
      throw node.fault("rows with distinct names");
    }
  }
  experiment.algorithms =
      std::make_shared<const std::vector<NamedAlgorithm>>(std::move(algorithms));
}

/// Returns the column names that an axis must not have, in lower case: the columns of results, and
/// those that SQL tables of results have (sim/report/database).
std::set<std::string> reserved_columns(const ModelRegistry& registry) {
  std::set<std::string> columns{"_file", "_rowid_"};
  for (const FigureList& list :
       {label_columns(), figures_of(registry.models), platform_measure_figures()}) {
    for (const Figure* figure : list) columns.insert(to_lower_ascii(std::string(figure->key)));
  }
  return columns;
}

/// The columns of one experiment's axes. Names must differ within the experiment, also in lower
/// case, and be spelt alike in all experiments.
struct AxisColumns {
  const std::set<std::string>& reserved;
  std::map<std::string, std::string>& spellings;  ///< in all experiments, by name in lower case
  std::set<std::string> seen = {};

  bool has(const std::string& column) const {
    const auto spelt = spellings.find(to_lower_ascii(column));
    return spelt != spellings.end() && spelt->second == column && seen.count(spelt->first) > 0;
  }
  void add(const std::string& column, const std::string& pointer) {
    const std::string name = to_lower_ascii(column);
    const std::string& spelt = spellings.emplace(name, column).first->second;
    if (spelt != column || !seen.insert(name).second || reserved.count(name) > 0) {
      throw InputError(pointer, "a name that no other column has", "'" + column + "'");
    }
  }
};

std::vector<Override> read_overrides(const JsonNode& node, AxisColumns& columns) {
  std::vector<Override> overrides;
  for (const JsonNode& element : node.elements()) {
    Override axis = Override::read(element);
    columns.add(axis.column, element.pointer() + "/name");
    overrides.push_back(std::move(axis));
  }
  if (overrides.empty()) throw node.fault("at least one axis");
  return overrides;
}

struct Reader {
  Specification& specification;
  const std::string& path;
  const ModelRegistry& registry;
  std::set<std::string> reserved = reserved_columns(registry);
  std::map<std::string, std::string> columns = {};  ///< of the axes so far

  void read(const JsonNode& root) {
    root.allow_only_keys({"$schema", "schema_version", "name", "comment", "seed", "heuristics",
                          "measures", "experiments"});
    root.check_version(1);
    if (const auto schema = root.find("$schema")) schema->text();
    if (const auto comment = root.find("comment")) comment->require_string();
    specification.name = read_name(root.at("name"));
    if (const auto seed = root.find("seed")) {
      specification.seed = static_cast<std::uint64_t>(seed->integer(0, std::int64_t{1} << 53));
    }
    if (const auto measures = root.find("measures")) {
      specification.measures = measures->distinct_elements(
          [](const JsonNode& key) { return &find_platform_measure(key.text(), key.pointer()); });
    }
    const auto heuristics = root.find("heuristics");
    Experiment by_default;
    if (heuristics) read_algorithms(*heuristics, registry, by_default);
    std::set<std::string> names;
    const JsonNode experiments = root.at("experiments");
    for (const JsonNode& node : experiments.elements()) {
      Experiment experiment = read_experiment(node, by_default);
      if (!names.insert(experiment.name).second) {
        throw node.at("name").fault("a name that no other experiment has");
      }
      specification.experiments.push_back(std::move(experiment));
      if (specification.size() > kMaxInstances) {
        throw InputError(node.pointer(), fmt::format("at most {} instances in all", kMaxInstances),
                         "more with this experiment");
      }
    }
    if (names.empty()) throw experiments.fault("at least one experiment");
  }

  Experiment read_experiment(const JsonNode& node, const Experiment& by_default) {
    node.allow_only_keys({"name", "question", "comment", "platforms", "problems", "block_sizes",
                          "overrides", "repetitions", "noise", "heuristics"});
    if (const auto comment = node.find("comment")) comment->require_string();
    Experiment experiment = by_default;
    experiment.name = read_name(node.at("name"));
    if (const auto question = node.find("question")) experiment.question = question->text();
    AxisColumns axes{reserved, columns};
    experiment.platforms = read_platforms(node.at("platforms"), axes);
    experiment.problems =
        node.at("problems").distinct_elements([](const JsonNode& text) { return text.text(); });
    experiment.block_sizes = {std::nullopt};
    if (const auto sizes = node.find("block_sizes")) {
      experiment.block_sizes = sizes->distinct_elements(
          [](const JsonNode& q) { return std::optional(q.integer(1, kMaxBlockSize)); });
    }
    if (const auto overrides = node.find("overrides")) {
      experiment.overrides = read_overrides(*overrides, axes);
    }
    if (const auto repetitions = node.find("repetitions")) {
      experiment.repetitions = repetitions->integer(1, kMostRepetitions);
    }
    if (const auto noise = node.find("noise")) {
      experiment.noise = read_noise(*noise, specification.seed, "");
    } else {
      experiment.noise.seed = specification.seed;
    }
    if (const auto heuristics = node.find("heuristics")) {
      read_algorithms(*heuristics, registry, experiment);
    }
    if (!experiment.algorithms) {
      experiment.algorithms = std::make_shared<const std::vector<NamedAlgorithm>>(
          registry.read_algorithms("all", node.pointer() + "/heuristics"));
    }
    check_experiment(experiment, registry.models, node);
    return experiment;
  }

  std::vector<PlatformSource> read_platforms(const JsonNode& node, AxisColumns& axes) const {
    std::vector<PlatformSource> platforms;
    std::set<std::string> names;
    for (const JsonNode& element : node.elements()) {
      for (PlatformSource& platform : read_platform(element, path)) {
        platforms.push_back(std::move(platform));
      }
      for (const auto& [column, text] : platforms.back().parameters()) {
        if (axes.has(column)) continue;  // another generator's of that name
        axes.add(column, element.pointer() + "/generate/parameters/" + column);
      }
      if (!names.insert(platforms.back().name()).second) {
        throw InputError(element.pointer(), "platforms with distinct names",
                         "'" + platforms.back().name() + "' twice");
      }
    }
    if (platforms.empty()) throw node.fault("at least one platform");
    return platforms;
  }
};

bool sets(const Override& axis, Activity activity) {
  return axis.field == "cv" ||
         axis.field == (activity == Activity::transfer ? "transfer_cv" : "update_cv");
}

/// Checks that each axis of the noise sets a coefficient of variation (CV) that no other axis sets
/// and that is not given as measured factors.
void check_noise_axes(const Experiment& experiment) {
  for (const auto& [activity, variation, what] :
       {std::tuple(Activity::transfer, &experiment.noise.transfers, "transfers"),
        std::tuple(Activity::update, &experiment.noise.updates, "updates")}) {
    const Override* before = nullptr;
    for (const Override& axis : experiment.overrides) {
      if (!sets(axis, activity)) continue;
      if (!variation->ratios.empty()) {
        throw InputError(axis.pointer, fmt::format("no CV of {}, whose factors are given", what),
                         "the axis " + axis.field);
      }
      if (before != nullptr) {
        throw InputError(axis.pointer, fmt::format("one axis for the CV of {}", what),
                         fmt::format("{} and {}", before->field, axis.field));
      }
      before = &axis;
    }
  }
}

/// Returns the JSON pointer of what gives the experiment its noise; empty when it has none.
std::string place_of_noise(const Experiment& experiment, const std::string& place) {
  if (!experiment.noise.is_none()) return place + "/noise";
  const auto axis = std::ranges::find_if(
      experiment.overrides, [](const Override& candidate) { return candidate.is_noise(); });
  return axis == experiment.overrides.end() ? "" : axis->pointer;
}

/// The platform and the noise that result from one value of each axis, and a name for messages.
struct Variant {
  PlatformFile file;
  Noise noise;
  std::string name;
};

/// Calls `visit` for the first value of all axes, then for each other value of a single axis.
template <class Visit>
void for_each_variant(const Experiment& experiment, const PlatformFile& file,
                      const std::string& name, Visit&& visit) {
  const auto visit_with = [&](const Override* axis, std::size_t value, const std::string& own) {
    Variant variant{file, experiment.noise, own};
    for (const Override& other : experiment.overrides) {
      const std::size_t index = &other == axis ? value : 0;
      variant.file = other.apply_to(variant.file, index);
      other.apply_to(variant.noise, index);
    }
    visit(variant);
  };
  visit_with(nullptr, 0, fmt::format("platform '{}'", name));
  for (const Override& axis : experiment.overrides) {
    for (std::size_t i = 1; i < axis.values.size(); ++i) {
      visit_with(&axis, i, "a value of " + axis.column);
    }
  }
}

PlatformFile first_platform(const PlatformSource& platform) {
  if (const auto* file = std::get_if<PlatformFile>(&platform.source)) return *file;
  const auto& drawn = std::get<PlatformSource::Generated>(platform.source);
  return drawn.generator.draw(drawn.workers, 0);
}

/// Returns why none of the models can run on the platform under the noise, on any engine; nullopt
/// when one can.
std::optional<InputError> find_obstacle(const Models& models, const Case& instance,
                                        const Noise& noise) {
  std::optional<InputError> obstacle;
  for (const Model* model : models) {
    for (const EngineKind engine : {EngineKind::analytic, EngineKind::simgrid}) {
      obstacle = model->find_obstacle(instance, {.engine = engine, .noise = noise});
      if (!obstacle) return std::nullopt;
    }
  }
  return obstacle;
}

}  // namespace

Specification load_specification(const std::string& path, const ModelRegistry& registry,
                                 const nlohmann::ordered_json& noise) {
  Specification specification;
  std::string content = read_file(path);
  with_file_in_errors(path, [&] { reject_csv(content, "a sweep"); });
  auto document = parse_ordered_json(content, path);
  specification.inputs.emplace_back(path, std::move(content));
  resolve(document, std::filesystem::path(path).parent_path(), noise, specification.inputs);
  specification.resolved = to_indented_json(document);
  // The library sorts keys; `resolved` keeps the order of the file.
  const nlohmann::json sorted = std::move(document);
  with_file_in_errors(path, [&] {
    require_document_kind(sorted, "a sweep");
    Reader{specification, path, registry}.read(JsonNode(sorted));
  });
  specification.set_models(registry.models);
  return specification;
}

Specification load_specification(const std::string& path, const ModelRegistry& registry) {
  return load_specification(path, registry, nullptr);
}

void check_experiment(const Experiment& experiment, const Models& available, const JsonNode& node) {
  check_noise_axes(experiment);
  const Models models = models_of(*experiment.algorithms, available);
  for (const PlatformSource& platform : experiment.platforms) {
    check_workers(experiment.noise, platform.workers(), platform.name(), node.pointer() + "/noise");
    const bool drawn = !std::holds_alternative<PlatformFile>(platform.source);
    const auto check = [&](const Case& instance, const Variant& variant) {
      std::optional<InputError> obstacle = find_obstacle(models, instance, {});
      const bool due_to_noise = !obstacle;
      if (due_to_noise) obstacle = find_obstacle(models, instance, variant.noise);
      if (!obstacle || (drawn && !due_to_noise)) return;  // another draw may fit
      throw InputError(due_to_noise ? place_of_noise(experiment, node.pointer()) : obstacle->place,
                       obstacle->expected, obstacle->found + ", " + variant.name, obstacle->hint);
    };
    // Each problem with the first variant, and each variant with the first problem: all
    // combinations would take as long as the sweep.
    std::size_t problems = experiment.problems.size();
    for_each_variant(
        experiment, first_platform(platform), platform.name(), [&](const Variant& variant) {
          for (const auto& requested : experiment.block_sizes) {
            const std::int64_t q = platform.block_size(requested);
            for (std::size_t n = 0; n < problems; ++n) {
              check({variant.file,
                     parse_problem(experiment.problems[n], q, node.at("problems").pointer())},
                    variant);
            }
          }
          problems = 1;
        });
  }
}

}  // namespace starport
