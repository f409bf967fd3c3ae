#include "heuristics/external/plugin.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/process/isolation.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>

namespace starport {
namespace {

using nlohmann::ordered_json;

constexpr const char* kOption = "--plugin";
/// Names of the parts of an InputError in the answer of a trial.
constexpr std::array<const char*, 5> kErrorParts{"place", "expected", "found", "hint", "file"};

/// A shared library as it was when the command started.
struct PluginLibrary {
  std::string path;  ///< as the user wrote it, for messages
  std::string file;  ///< absolute
  struct stat status = {};

  bool has_changed() const {
    struct stat now = {};
    return ::stat(file.c_str(), &now) != 0 || now.st_dev != status.st_dev ||
           now.st_ino != status.st_ino || now.st_size != status.st_size ||
           now.st_mtim.tv_sec != status.st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != status.st_mtim.tv_nsec;
  }
};

PluginLibrary find_library(const std::string& path) {
  std::error_code ignored;
  PluginLibrary library{.path = path, .file = std::filesystem::absolute(path, ignored).string()};
  ::stat(library.file.c_str(), &library.status);  // a missing file is an error of dlopen()
  return library;
}

/// Loads the library into this process, where it stays, and returns its list.
std::vector<PluginEntry> load_entries(const PluginLibrary& library) {
  void* const handle = ::dlopen(library.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw InputError(kOption, "a shared library", ::dlerror());
  const auto* interface =
      static_cast<const PluginInterface*>(::dlsym(handle, "starport_plugin_interface"));
  using Entries = void(std::vector<PluginEntry>&);
  auto* const entries = reinterpret_cast<Entries*>(::dlsym(handle, "starport_plugin_entries"));
  if (interface == nullptr || entries == nullptr) {
    throw InputError(kOption, "a library with STARPORT_PLUGIN", "none",
                     "heuristics/PROTOCOL.md has an example")
        .in_file(library.path);
  }
  if (*interface != kPluginInterface) {
    throw InputError(
        kOption, fmt::format("a library for this Starport, {}", fmt::join(kPluginInterface, "-")),
        fmt::format("one for another, {}", fmt::join(*interface, "-")),
        "compile it again, with this one's headers")
        .in_file(library.path);
  }
  std::vector<PluginEntry> list;
  entries(list);
  return list;
}

/// Runs `code`, which runs code of the library, in a child process, and returns what it returns.
/// Throws the InputError that `code` throws, and another one, which says that `expected` is
/// expected, when it throws something else, ends the child, or takes too long.
nlohmann::json run_in_trial(const PluginLibrary& library, const std::string& expected,
                            const std::function<ordered_json()>& code) {
  constexpr double time_limit_s = 60;
  const auto body = [&](FrameWriter& out) {
    ordered_json answer;
    try {
      answer["result"] = code();
    } catch (const InputError& error) {
      const std::array parts{error.place, error.expected, error.found, error.hint, error.file};
      for (std::size_t i = 0; i < parts.size(); ++i) answer["error"][kErrorParts[i]] = parts[i];
    }
    const std::string text = to_json_line(answer);
    out.write(std::as_bytes(std::span(text)));
  };
  std::optional<std::string> text;
  const auto receive = [&](std::span<const std::byte> frame) {
    if (!text) text.emplace(reinterpret_cast<const char*>(frame.data()), frame.size());
  };
  std::string problem = "one that ends the program";
  try {
    run_in_child(body, receive, time_limit_s);
  } catch (const std::runtime_error& error) {
    problem = error.what();
    text.reset();
  }
  if (!text) throw InputError(kOption, expected, problem).in_file(library.path);
  const nlohmann::json answer = parse_json(*text, library.path);
  if (!answer.contains("error")) {
    return with_file_in_errors(library.path, [&] { return JsonNode(answer).at("result").value(); });
  }
  std::array<std::string, kErrorParts.size()> parts;
  with_file_in_errors(library.path, [&] {
    const JsonNode error = JsonNode(answer).at("error");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const JsonNode part = error.at(kErrorParts[i]);
      part.require_string();
      parts[i] = part.value().get<std::string>();
    }
  });
  throw InputError(parts[0], parts[1], parts[2], parts[3]).in_file(parts[4]);
}

/// Requirements with the layout to which they point.
struct OwnedRequirements {
  Requirements requirements;
  std::string layout_name;
  MemoryLayout layout;
};

ordered_json to_json(const Requirements& requirements) {
  ordered_json json{{"blocks", requirements.blocks},
                    {"one_port", requirements.ports == SupportedPorts::one},
                    {"homogeneous", requirements.homogeneous},
                    {"in_elements", requirements.in_elements}};
  if (const MemoryLayout* const layout = requirements.layout) {
    json["layout"] = {{"name", layout->name},
                      {"quadratic", layout->quadratic},
                      {"linear", layout->linear},
                      {"constant", layout->constant},
                      {"buffer_sets", layout->buffer_sets},
                      {"square_buffers", layout->square_buffers}};
  }
  return json;
}

std::shared_ptr<const OwnedRequirements> read_requirements(const JsonNode& node) {
  constexpr std::int64_t most = INT32_MAX;
  auto owned = std::make_shared<OwnedRequirements>();
  owned->requirements = {
      .blocks = node.at("blocks").integer(INT64_MIN, INT64_MAX),
      .layout = nullptr,
      .ports = node.at("one_port").boolean() ? SupportedPorts::one : SupportedPorts::any,
      .homogeneous = node.at("homogeneous").boolean(),
      .in_elements = node.at("in_elements").boolean()};
  if (const auto layout = node.find("layout")) {
    owned->layout_name = layout->at("name").text();
    owned->layout = {.name = owned->layout_name.c_str(),
                     .quadratic = layout->at("quadratic").integer(1, most),
                     .linear = layout->at("linear").integer(0, most),
                     .constant = layout->at("constant").integer(0, most),
                     .buffer_sets = static_cast<int>(layout->at("buffer_sets").integer(1, 2)),
                     .square_buffers = layout->at("square_buffers").boolean()};
    owned->requirements.layout = &owned->layout;
  }
  return owned;
}

ordered_json to_json(const PluginEntry& entry) {
  ordered_json parameters = ordered_json::array();
  for (const Parameter& parameter : entry.about.parameters) {
    parameters.push_back({{"key", parameter.key},
                          {"values", parameter.values},
                          {"default", parameter.default_value},
                          {"description", parameter.description}});
  }
  ordered_json json{{"name", entry.about.name},
                    {"description", entry.about.description},
                    {"source", entry.about.source},
                    {"groups", entry.about.groups},
                    {"parameters", std::move(parameters)},
                    {"in_all_group", entry.about.in_all_group},
                    {"argument", entry.about.argument},
                    {"accepts_any_parameter", entry.about.accepts_any_parameter}};
  if (const auto* const star = std::get_if<PluginEntry::Star>(&entry.functions)) {
    json["star"] = to_json(star->requirements);
  } else if (const auto* const tiles = std::get_if<PluginEntry::Tiles>(&entry.functions)) {
    json["tiles"] = {{"allocates", tiles->allocate != nullptr}};
  }
  return json;
}

std::vector<std::string> read_texts(const JsonNode& node) {
  std::vector<std::string> texts;
  for (const JsonNode& element : node.elements()) texts.push_back(element.text());
  return texts;
}

AlgorithmEntry read_about(const JsonNode& node) {
  AlgorithmEntry about{.name = node.at("name").text(),
                       .description = node.at("description").text(),
                       .source = node.at("source").text(),
                       .groups = read_texts(node.at("groups")),
                       .in_all_group = node.at("in_all_group").boolean(),
                       .argument = node.at("argument").text(),
                       .accepts_any_parameter = node.at("accepts_any_parameter").boolean()};
  for (const JsonNode& parameter : node.at("parameters").elements()) {
    about.parameters.push_back({.key = parameter.at("key").text(),
                                .values = read_texts(parameter.at("values")),
                                .default_value = parameter.at("default").text(),
                                .description = parameter.at("description").text()});
  }
  return about;
}

/// A class of a plug-in, whose library is loaded by the process that uses it.
struct PluginClass {
  PluginLibrary library;
  std::string name;

  /// Loads the library into this process, where it stays. Throws SimulationError when the class is
  /// no longer what it was when the command started.
  template <class Functions>
  Functions load() const {
    if (library.has_changed()) {
      throw SimulationError(
          fmt::format("{} has changed since the command started; run it again", library.path));
    }
    for (PluginEntry& entry : load_entries(library)) {
      auto* const functions = std::get_if<Functions>(&entry.functions);
      if (functions != nullptr && entry.about.name == name) return std::move(*functions);
    }
    throw SimulationError(fmt::format("{} lists {} no longer", library.path, name));
  }
};

Entry<Algorithm> star_entry(AlgorithmEntry about, const PluginClass& of_plugin,
                            const std::shared_ptr<const OwnedRequirements>& required) {
  return {std::move(about), [of_plugin, required](const ParameterTexts& parameters) {
            const auto make = [of_plugin, parameters] {
              return of_plugin.load<PluginEntry::Star>().make(parameters);
            };
            run_in_trial(of_plugin.library,
                         fmt::format("a library whose {} can be created", of_plugin.name), [&] {
                           make();
                           return ordered_json();
                         });
            // Made by the first plan, in the process that plans.
            const auto made = std::make_shared<std::shared_ptr<const PluginHeuristic>>();
            return std::make_unique<Heuristic>(
                required->requirements,
                [required, make, made](const Platform& platform, const Problem& problem) {
                  if (!*made) *made = make();
                  return (*made)->plan(platform, problem);
                },
                Origin::external);
          }};
}

Entry<Algorithm> tile_entry(AlgorithmEntry about, const PluginClass& of_plugin, bool allocates) {
  tiles::Allocate allocate;
  if (allocates) {
    allocate = [of_plugin](const tiles::Platform& platform, const tiles::ProductSize& size) {
      return of_plugin.load<PluginEntry::Tiles>().allocate(platform, size);
    };
  }
  return upcast_entry<Algorithm>(tiles::make_external_entry(
      std::move(about),
      [of_plugin](const tiles::StrategyContext& context, const ParameterTexts& parameters) {
        return of_plugin.load<PluginEntry::Tiles>().make(context, parameters);
      },
      allocate));
}

Entry<Algorithm> product_entry(AlgorithmEntry about, const PluginClass& of_plugin) {
  return upcast_entry<Algorithm>(spmd::make_external_entry(
      std::move(about), [of_plugin](const ParameterTexts& parameters) -> spmd::DivideProduct {
        return [of_plugin, parameters](const spmd::Cluster& cluster, std::int64_t side) {
          return of_plugin.load<PluginEntry::Products>().make(parameters)(cluster, side);
        };
      }));
}

}  // namespace

std::vector<Entry<Algorithm>> load_plugin(const std::string& path) {
  const PluginLibrary library = find_library(path);
  const nlohmann::json list = run_in_trial(library, "a library that can be loaded", [&] {
    ordered_json entries = ordered_json::array();
    for (const PluginEntry& entry : load_entries(library)) entries.push_back(to_json(entry));
    return entries;
  });
  return with_file_in_errors(path, [&] {
    std::vector<Entry<Algorithm>> entries;
    for (const JsonNode& node : JsonNode(list).elements()) {
      AlgorithmEntry about = read_about(node);
      const PluginClass of_plugin{library, about.name};
      if (const auto star = node.find("star")) {
        entries.push_back(star_entry(std::move(about), of_plugin, read_requirements(*star)));
      } else if (const auto tiles = node.find("tiles")) {
        entries.push_back(
            tile_entry(std::move(about), of_plugin, tiles->at("allocates").boolean()));
      } else {
        entries.push_back(product_entry(std::move(about), of_plugin));
      }
    }
    return entries;
  });
}

}  // namespace starport
