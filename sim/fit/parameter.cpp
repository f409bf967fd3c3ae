#include "sim/fit/parameter.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace starport::fit {
namespace {

using Groups = std::map<std::string, std::vector<std::string>>;

/// The names of groups, each with its experiments.
Groups read_groups(const JsonNode& fit, const Specification& specification) {
  Groups groups;
  const auto node = fit.find("groups");
  if (!node) return groups;
  if (!node->is_object()) throw node->fault("an object: lists of experiments by the group's name");
  for (const auto& [name, list] : node->value().items()) {
    groups[name] = node->at(name).distinct([&](const JsonNode& element) {
      return find_named(specification.experiments, element.text(), element.pointer(),
                        "an experiment of the specification")
          .name;
    });
  }
  return groups;
}

/// The axis that a parameter is: its object without what an axis has not.
Override read_axis(const JsonNode& node) {
  nlohmann::json axis = node.value();
  for (const char* key : {"prior", "group"}) axis.erase(key);
  Override read = Override::read(JsonNode(axis, node.pointer()));
  if (read.of_noise() || read.field == "port") {
    throw node.at("field").fault("bandwidth, speed, memory or latency");
  }
  if (read.divide) throw node.at("divide").fault("multiply or set");
  const JsonNode range = node.at(read.multiply ? "multiply" : "set");
  if (read.values.size() != 2 ||
      std::get<double>(read.values[0]) >= std::get<double>(read.values[1])) {
    throw range.fault("a range: its low end, then its high end");
  }
  return read;
}

struct Reader {
  const Specification& specification;
  const Known& known;
  const Groups& groups;

  Parameter read(const JsonNode& node) const {
    Parameter parameter;
    parameter.prior = node.at("prior").text();
    if (const auto group = node.find("group")) {
      parameter.group = group->text();
      const auto found = groups.find(parameter.group);
      if (found == groups.end()) throw group->fault("a group of /fit/groups");
      parameter.experiments = found->second;
    }
    if (!node.has("heuristic")) {
      node.at("name");
      parameter.axis = read_axis(node);
      parameter.name = parameter.axis.column;
      return parameter;
    }
    node.allow_only({"name", "heuristic", "readings", "group", "prior"});
    parameter.name = node.at("name").text();
    parameter.heuristic = node.at("heuristic").text();
    const bool run =
        std::ranges::any_of(specification.experiments, [&](const Experiment& experiment) {
          return parameter.concerns(experiment) &&
                 std::ranges::count(*experiment.algorithms, parameter.heuristic,
                                    &NamedAlgorithm::name) > 0;
        });
    if (!run) throw node.at("heuristic").fault("a heuristic that these experiments run");
    for (const JsonNode& element : node.at("readings").elements()) {
      const auto algorithms = known.read_algorithms(element.text(), element.pointer());
      if (algorithms.size() != 1) throw element.fault("one heuristic");
      parameter.readings.push_back(algorithms.front());
    }
    if (parameter.readings.size() < 2) throw node.at("readings").fault("two readings or more");
    return parameter;
  }
};

}  // namespace

bool Parameter::concerns(const Experiment& experiment) const {
  return group.empty() || std::ranges::count(experiments, experiment.name) > 0;
}

double Parameter::value_at(double place) const {
  const double inside = std::clamp(place, 0.0, 1.0);
  if (is_reading()) {
    const auto count = static_cast<double>(readings.size());
    return std::min(std::floor(inside * count), count - 1);
  }
  const double value = low() + (high() - low()) * inside;
  return parse_number<double>(fmt::format("{:.4g}", value)).value();
}

double Parameter::place_of(double value) const {
  if (is_reading()) return (value + 0.5) / static_cast<double>(readings.size());
  return (value - low()) / (high() - low());
}

std::string Parameter::text(double value) const {
  return is_reading() ? readings.at(static_cast<std::size_t>(value)).name
                      : fmt::format("{}", value);
}

std::string Parameter::range_text() const {
  if (!is_reading()) return fmt::format("{} {} to {}", axis.field, low(), high());
  std::vector<std::string> names;
  for (const NamedAlgorithm& reading : readings) names.push_back(reading.name);
  return fmt::format("{}", fmt::join(names, " or "));
}

std::vector<Parameter> load_parameters(const std::string& claims_path,
                                       const Specification& specification, const Known& known) {
  return named_by_file(claims_path, [&] {
    const nlohmann::json document = load_json(claims_path);
    const JsonNode fit = JsonNode(document).at("fit");
    fit.allow_only({"comment", "groups", "parameters"});
    if (const auto comment = fit.find("comment")) comment->check_comment();
    const Groups groups = read_groups(fit, specification);
    const Reader reader{specification, known, groups};
    std::vector<Parameter> parameters;
    for (const JsonNode& node : fit.at("parameters").elements()) {
      Parameter parameter = reader.read(node);
      if (std::ranges::count(parameters, parameter.name, &Parameter::name) > 0) {
        throw node.at("name").fault("a name that no other parameter has");
      }
      parameters.push_back(std::move(parameter));
    }
    if (parameters.empty()) throw fit.at("parameters").fault("at least one parameter");
    return parameters;
  });
}

Specification calibrated(const Specification& specification,
                         const std::vector<Parameter>& parameters, const Calibration& calibration) {
  Specification changed = specification;
  for (std::size_t i = 0; i < calibration.size(); ++i) {
    const Parameter& parameter = parameters[i];
    for (Experiment& experiment : changed.experiments) {
      if (!parameter.concerns(experiment)) continue;
      if (!parameter.is_reading()) {
        experiment.overrides.push_back(parameter.axis);
        experiment.overrides.back().values = {calibration[i]};
        continue;
      }
      auto algorithms = std::make_shared<std::vector<NamedAlgorithm>>(*experiment.algorithms);
      for (NamedAlgorithm& named : *algorithms) {
        if (named.name != parameter.heuristic) continue;
        named.algorithm = parameter.readings[static_cast<std::size_t>(calibration[i])].algorithm;
      }
      experiment.algorithms = std::move(algorithms);
    }
  }
  return changed;
}

namespace {

/// In a specification, what a parameter set is a quantity with its unit.
nlohmann::ordered_json quantity(const std::string& field, double value) {
  const char* unit = field == "bandwidth" ? "Bps"
                     : field == "speed"   ? "f"
                     : field == "memory"  ? "B"
                                          : "s";
  return fmt::format("{}{}", value, unit);
}

void add_to(nlohmann::ordered_json& experiment, const Experiment& read, const Parameter& parameter,
            double value) {
  if (parameter.is_reading()) {
    auto& list = experiment["heuristics"];
    if (list.is_null()) {
      for (const NamedAlgorithm& named : *read.algorithms) list.push_back(named.name);
    }
    for (auto& element : list) {
      if (element != parameter.heuristic || parameter.text(value) == parameter.heuristic) continue;
      element = {{"name", parameter.heuristic}, {"run", parameter.text(value)}};
    }
    return;
  }
  const Override& axis = parameter.axis;
  nlohmann::ordered_json override{{"name", parameter.name}, {"field", axis.field}};
  // Braces round one value are a list to one compiler, and the value itself to another.
  override[axis.multiply ? "multiply" : "set"] = nlohmann::ordered_json::array(
      {axis.multiply ? nlohmann::ordered_json(value) : quantity(axis.field, value)});
  for (const std::int64_t worker : axis.workers) override["workers"].push_back(worker + 1);
  experiment["overrides"].push_back(std::move(override));
}

}  // namespace

std::string calibrated_file(const Specification& specification,
                            const std::vector<Parameter>& parameters,
                            const Calibration& calibration) {
  auto document = nlohmann::ordered_json::parse(specification.resolved);
  document["name"] = specification.name + ", fitted";
  for (std::size_t i = 0; i < calibration.size(); ++i) {
    for (std::size_t n = 0; n < specification.experiments.size(); ++n) {
      const Experiment& experiment = specification.experiments[n];
      if (!parameters[i].concerns(experiment)) continue;
      add_to(document["experiments"][n], experiment, parameters[i], calibration[i]);
    }
  }
  return document.dump(2) + "\n";
}

}  // namespace starport::fit
