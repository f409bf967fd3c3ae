#include "sim/files/error.hpp"
#include "sim/results/figure.hpp"
#include "sim/sweep/specification.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace starport {
namespace {

using Parameters = std::vector<std::pair<std::string, nlohmann::json>>;  ///< names and values

constexpr std::size_t kMaxCombinations = 100'000;

/// Returns all combinations of the parameters' values; the last parameter varies fastest.
std::vector<Parameters> combinations(const JsonNode& node) {
  std::vector<Parameters> combined{{}};
  const auto parameters = node.find("parameters");
  if (!parameters) return combined;
  if (!parameters->is_object() || parameters->value().empty()) {
    throw parameters->fault("names and values, such as {\"ratio\": [1, 2, 4]}");
  }
  for (const auto& [name, unused] : parameters->value().items()) {
    const JsonNode values = parameters->at(name);
    check_column_name(name, values.pointer());
    const auto list = values.distinct_elements([](const JsonNode& value) {
      if (!value.is_text()) value.number();  // or it is neither
      return value.value();
    });
    if (combined.size() * list.size() > kMaxCombinations) {
      throw parameters->fault(fmt::format("at most {} combinations of values", kMaxCombinations));
    }
    std::vector<Parameters> longer;
    for (const Parameters& before : combined) {
      for (const nlohmann::json& value : list) {
        longer.push_back(before);
        longer.back().emplace_back(name, value);
      }
    }
    combined = std::move(longer);
  }
  return combined;
}

/// Replaces each string "$name" in `json` by the value of that parameter and adds the name to
/// `used`. Throws InputError for an unknown parameter.
void substitute(nlohmann::json& json, const Parameters& parameters, const std::string& pointer,
                std::set<std::string>& used) {
  if (json.is_structured()) {
    for (auto& [key, value] : json.items()) {
      substitute(value, parameters, pointer + "/" + escape_pointer_token(key), used);
    }
    return;
  }
  if (!json.is_string()) return;
  const auto text = json.get<std::string>();
  if (!text.starts_with('$')) return;
  const std::string name = text.substr(1);
  const auto named = std::ranges::find(parameters, name, &Parameters::value_type::first);
  if (named == parameters.end()) {
    std::vector<std::string> names;
    for (const auto& [parameter, value] : parameters) names.push_back(parameter);
    throw InputError(pointer, "a value, or one of the generator's parameters", "'" + text + "'",
                     did_you_mean(name, names));
  }
  used.insert(name);
  json = named->second;
}

PlatformGenerator read_platform_generator(const JsonNode& node) {
  PlatformGenerator generator{
      .name = node.at("name").text(),
      .bandwidth = Distribution::read(node.at("bandwidth"), Dimension::bandwidth),
      .speed = Distribution::read(node.at("speed"), Dimension::speed),
      .memory = Distribution::read(node.at("memory"), Dimension::memory)};
  if (generator.name.empty()) throw node.at("name").fault("a name on one line");
  if (const auto latency = node.find("latency")) {
    generator.latency = Distribution::read(*latency, Dimension::time);
  }
  if (const auto port = node.find("port")) {
    generator.port = read_port(*port);
    if (generator.port.c_s) {
      throw InputError(port->pointer() + "/c_s", "bandwidth, as of the workers drawn", "c_s");
    }
  }
  return generator;
}

std::string cell_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : fmt::format("{}", value.get<double>());
}

}  // namespace

std::vector<PlatformSource> read_generator(const JsonNode& node) {
  node.allow_only_keys(
      {"name", "workers", "parameters", "bandwidth", "speed", "memory", "latency", "port"});
  const auto read_count = [](const JsonNode& count) { return count.integer(1, kMaxWorkers); };
  const JsonNode workers = node.at("workers");
  const auto counts = workers.is_array() ? workers.distinct_elements(read_count)
                                         : std::vector<std::int64_t>{read_count(workers)};
  std::vector<PlatformSource> sources;
  for (const std::int64_t count : counts) {
    for (const Parameters& parameters : combinations(node)) {
      nlohmann::json json = node.value();
      json.erase("parameters");
      std::set<std::string> used;
      substitute(json, parameters, node.pointer(), used);
      PlatformSource::Generated source{
          .generator = read_platform_generator(JsonNode(json, node.pointer())), .workers = count};
      for (const auto& [name, value] : parameters) {
        if (used.count(name) == 0) {
          throw InputError(node.pointer() + "/parameters/" + name,
                           "a parameter that a distribution names, as \"$" + name + "\"",
                           "none that does");
        }
        source.parameters.emplace_back(name, cell_of(value));
      }
      sources.push_back({std::move(source)});
    }
  }
  return sources;
}

}  // namespace starport
