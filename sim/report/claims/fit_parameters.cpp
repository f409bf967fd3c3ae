#include "sim/report/claims/fit_parameters.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace starport::fit {
namespace {

/// Returns true if a parameter may have this name: its column in the file of campaigns is neither
/// that of another parameter nor one that all such files have, whatever the case of letters.
bool is_new_column(const std::vector<Parameter>& parameters, const std::string& name) {
  const std::string column = to_lower_ascii(name);
  for (const char* common : {"number", "input", "holds", "missed"}) {
    if (column == common) return false;
  }
  const bool is_claim = column.size() > 1 && column.front() == 'c' &&
                        column.find_first_not_of("0123456789", 1) == std::string::npos;
  return !is_claim && std::ranges::none_of(parameters, [&](const Parameter& parameter) {
    return to_lower_ascii(parameter.name) == column;
  });
}

using Groups = std::map<std::string, std::vector<std::string>>;  ///< experiments by group

/// Reads "groups" of the section "fit": lists of experiments by name.
Groups read_groups(const JsonNode& fit, const Specification& specification) {
  Groups groups;
  const auto node = fit.find("groups");
  if (!node) return groups;
  if (!node->is_object()) throw node->fault("an object of lists of experiments");
  for (const auto& [name, list] : node->value().items()) {
    groups[name] = node->at(name).distinct_elements([&](const JsonNode& element) {
      return find_named(specification.experiments, element.text(), element.pointer(),
                        "an experiment of the specification")
          .name;
    });
  }
  return groups;
}

/// Reads the range of a number as an override of a sweep, whose two values are the ends.
Override read_range(const JsonNode& node) {
  nlohmann::json axis = node.value();
  for (const char* key : {"prior", "group"}) axis.erase(key);
  Override read = Override::read(JsonNode(axis, node.pointer()));
  if (read.is_noise() || read.field == "port") {
    throw node.at("field").fault("bandwidth, speed, memory or latency");
  }
  if (read.divide) throw node.at("divide").fault("multiply, set or repeat");
  const JsonNode range = node.at(read.single_rate ? "repeat" : read.multiply ? "multiply" : "set");
  if (read.values.size() != 2 ||
      std::get<double>(read.values[0]) >= std::get<double>(read.values[1])) {
    throw range.fault("a range: its low end, then its high end");
  }
  return read;
}

/// Sets a parameter in the brackets of a heuristic: "Het[panels=even]" becomes
/// "Het[panels=even,clock=exact]". Replaces an earlier value.
std::string with_parameter(const std::string& heuristic, const std::string& key,
                           const std::string& value) {
  const std::size_t bracket = heuristic.find('[');
  std::string text = heuristic.substr(0, bracket) + "[";
  if (bracket != std::string::npos) {
    const std::string inside = heuristic.substr(bracket + 1, heuristic.size() - bracket - 2);
    std::string_view rest = inside;
    while (!rest.empty()) {
      const std::string_view item = next_token(rest, ',');
      if (!item.starts_with(key + "=")) text += std::string(item) + ",";
    }
  }
  return text + key + "=" + value + "]";
}

/// Returns the heuristic with another reading, or nullopt if `heuristic` already has it by default.
std::optional<NamedAlgorithm> with_reading(const Parameter& parameter, const std::string& heuristic,
                                           std::size_t reading) {
  const bool given = heuristic.find("[" + parameter.key + "=") != std::string::npos ||
                     heuristic.find("," + parameter.key + "=") != std::string::npos;
  // The default is left out of names.
  if (reading == 0 && !given) return std::nullopt;
  return parameter
      .read_algorithms(with_parameter(heuristic, parameter.key, parameter.readings.at(reading)), "")
      .front();
}

/// Throws InputError naming "readings" if the heuristic does not know one of them.
void check_readings(const Parameter& parameter, const std::string& heuristic,
                    const JsonNode& node) {
  for (const std::string& reading : parameter.readings) {
    parameter.read_algorithms(with_parameter(heuristic, parameter.key, reading),
                              node.at("readings").pointer());
  }
}

/// Throws InputError if a platform of the experiment has no such workers or fields.
void check_fits(const Override& range, const Experiment& experiment) {
  for (const PlatformSource& platform : experiment.platforms) {
    const auto* drawn = std::get_if<PlatformSource::Generated>(&platform.source);
    range.apply_to(drawn != nullptr ? drawn->generator.draw(drawn->workers, 0)
                                    : std::get<PlatformFile>(platform.source),
                   0);
  }
}

/// Reads the parameters of the section "fit".
struct ParameterReader {
  const Specification& specification;
  const ModelRegistry& registry;
  const Groups& groups;

  Parameter read(const JsonNode& node) const {
    Parameter parameter;
    parameter.prior = node.at("prior").text();
    if (const auto group = node.find("group")) {
      parameter.group = group->text();
      const auto found = groups.find(parameter.group);
      if (found == groups.end()) throw group->fault("a group of /fit/groups");
      // The experiments of the group exist: read_groups() has checked them.
      parameter.experiments = found->second;
    }
    if (!node.has("heuristics")) {
      node.at("name");
      parameter.axis = read_range(node);
      parameter.name = parameter.axis.column;
      for (const Experiment& experiment : specification.experiments) {
        if (parameter.applies_to(experiment)) check_fits(parameter.axis, experiment);
      }
      return parameter;
    }
    node.allow_only_keys({"name", "heuristics", "parameter", "readings", "group", "prior"});
    parameter.name = node.at("name").text();
    parameter.read_algorithms = registry.read_algorithms;
    parameter.key = node.at("parameter").text();
    parameter.readings = node.at("readings").distinct_elements([](const JsonNode& element) {
      return element.text();
    });
    if (parameter.readings.size() < 2) throw node.at("readings").fault("two readings or more");
    parameter.heuristics = node.at("heuristics").distinct_elements([&](const JsonNode& element) {
      const std::string name = element.text();
      bool found = false;
      for (const Experiment& experiment : specification.experiments) {
        if (!parameter.applies_to(experiment)) continue;
        for (const NamedAlgorithm& named : *experiment.algorithms) {
          if (named.name != name) continue;
          found = true;
          check_readings(parameter, experiment.algorithm_of_row(name), node);
        }
      }
      if (!found) throw element.fault("a heuristic that these experiments run");
      return name;
    });
    return parameter;
  }
};

/// True if rows of the same names run the same heuristics in both experiments.
bool run_same_algorithms(const Experiment& a, const Experiment& b) {
  return std::ranges::all_of(*a.algorithms, [&](const NamedAlgorithm& named) {
    return a.algorithm_of_row(named.name) == b.algorithm_of_row(named.name);
  });
}

/// Formats the value of an override that sets a field: a specification has it with its unit.
nlohmann::ordered_json quantity(const std::string& field, double value) {
  const char* unit = field == "bandwidth" ? "Bps"
                     : field == "speed"   ? "f"
                     : field == "memory"  ? "B"
                                          : "s";
  return fmt::format("{}{}", value, unit);
}

/// Adds the override that a value of a parameter is to an experiment of a specification.
void add_override(nlohmann::ordered_json& experiment, const Parameter& parameter, double value) {
  const Override& axis = parameter.axis;
  nlohmann::ordered_json override{{"name", parameter.name}, {"field", axis.field}};
  const bool share = axis.multiply || axis.single_rate;
  // Braces round one value are a list to one compiler, and the value itself to another.
  override[axis.single_rate ? "repeat"
           : axis.multiply  ? "multiply"
                            : "set"] =
      nlohmann::ordered_json::array(
          {share ? nlohmann::ordered_json(value) : quantity(axis.field, value)});
  if (axis.single_rate) override["of"] = quantity(axis.field, *axis.single_rate);
  for (const std::int64_t worker : axis.workers) override["workers"].push_back(worker + 1);
  experiment["overrides"].push_back(std::move(override));
}

/// Writes the heuristics of an experiment: names, or name and what is run where they differ.
nlohmann::ordered_json heuristics_json(const Experiment& experiment) {
  auto list = nlohmann::ordered_json::array();
  for (const NamedAlgorithm& named : *experiment.algorithms) {
    nlohmann::ordered_json element = named.name;
    if (const std::string& run = experiment.algorithm_of_row(named.name); run != named.name) {
      element = {{"name", named.name}, {"run", run}};
    }
    list.push_back(std::move(element));
  }
  return list;
}

}  // namespace

bool Parameter::applies_to(const Experiment& experiment) const {
  return group.empty() || std::ranges::count(experiments, experiment.name) > 0;
}

double Parameter::value_at(double fraction) const {
  const double clamped = std::clamp(fraction, 0.0, 1.0);
  if (is_reading()) {
    const auto count = static_cast<double>(readings.size());
    return std::min(std::floor(clamped * count), count - 1);
  }
  const double value = low() + (high() - low()) * clamped;
  // The largest numbers cannot be rounded up.
  return parse_number<double>(fmt::format("{:.4g}", value)).value_or(value);
}

double Parameter::fraction_of(double value) const {
  if (is_reading()) return (value + 0.5) / static_cast<double>(readings.size());
  return (value - low()) / (high() - low());
}

std::string Parameter::value_text(double value) const {
  return is_reading() ? readings.at(static_cast<std::size_t>(value)) : fmt::format("{}", value);
}

std::optional<double> Parameter::parse_value(const std::string& text) const {
  if (is_reading()) {
    const auto found = std::ranges::find(readings, text);
    if (found == readings.end()) return std::nullopt;
    return static_cast<double>(found - readings.begin());
  }
  const auto value = parse_number<double>(text);
  return value && *value >= value_at(0) && *value <= value_at(1) ? value : std::nullopt;
}

std::string Parameter::range_text() const {
  if (!is_reading()) return fmt::format("{} {} to {}", axis.field, low(), high());
  return fmt::format("{}", fmt::join(readings, " or "));
}

std::vector<Parameter> load_parameters(const std::string& claims_path,
                                       const Specification& specification,
                                       const ModelRegistry& registry) {
  return with_file_in_errors(claims_path, [&] {
    const nlohmann::json document = load_json(claims_path);
    const JsonNode fit = JsonNode(document).at("fit");
    fit.allow_only_keys({"comment", "groups", "parameters"});
    if (const auto comment = fit.find("comment")) comment->require_string();
    const Groups groups = read_groups(fit, specification);
    const ParameterReader reader{specification, registry, groups};
    std::vector<Parameter> parameters;
    for (const JsonNode& node : fit.at("parameters").elements()) {
      Parameter parameter = reader.read(node);
      if (!is_new_column(parameters, parameter.name)) {
        throw node.at("name").fault(
            "a name that no other parameter has, nor number, input, holds, missed, c1, c2, ..., "
            "which are columns of fit");
      }
      parameters.push_back(std::move(parameter));
    }
    if (parameters.empty()) throw fit.at("parameters").fault("at least one parameter");
    return parameters;
  });
}

Specification apply_calibration(const Specification& specification,
                                const std::vector<Parameter>& parameters,
                                const Calibration& calibration) {
  Specification changed = specification;
  for (std::size_t i = 0; i < calibration.size(); ++i) {
    const Parameter& parameter = parameters[i];
    for (Experiment& experiment : changed.experiments) {
      if (!parameter.applies_to(experiment)) continue;
      if (!parameter.is_reading()) {
        experiment.overrides.push_back(parameter.axis);
        experiment.overrides.back().values = {calibration[i]};
        continue;
      }
      auto algorithms = std::make_shared<std::vector<NamedAlgorithm>>(*experiment.algorithms);
      for (NamedAlgorithm& named : *algorithms) {
        if (std::ranges::count(parameter.heuristics, named.name) == 0) continue;
        const auto changed_algorithm =
            with_reading(parameter, experiment.algorithm_of_row(named.name),
                         static_cast<std::size_t>(calibration[i]));
        if (!changed_algorithm) continue;
        named.algorithm = changed_algorithm->algorithm;
        experiment.algorithms_by_row[named.name] = changed_algorithm->name;
      }
      experiment.algorithms = std::move(algorithms);
    }
  }
  return changed;
}

Calibration current_readings(const Specification& specification,
                             const std::vector<Parameter>& parameters) {
  Calibration current;
  for (const Parameter& parameter : parameters) {
    std::size_t reading = 0;
    const auto is_current = [&] {
      const auto changed =
          apply_calibration(specification, {parameter}, {static_cast<double>(reading)});
      return std::ranges::equal(specification.experiments, changed.experiments,
                                run_same_algorithms);
    };
    while (reading < parameter.readings.size() && !is_current()) ++reading;
    if (reading == parameter.readings.size()) {
      throw InputError("", "a specification with one of the readings " + parameter.range_text(),
                       "none of them, or several");
    }
    current.push_back(static_cast<double>(reading));
  }
  return current;
}

std::string calibrated_specification(const Specification& specification,
                                     const std::vector<Parameter>& parameters,
                                     const Calibration& calibration) {
  auto document = parse_trusted_json(specification.resolved);
  document["name"] = specification.name + ", fitted";
  const Specification changed = apply_calibration(specification, parameters, calibration);
  for (std::size_t k = 0; k < specification.experiments.size(); ++k) {
    const Experiment& experiment = specification.experiments[k];
    auto& json = document["experiments"][k];
    for (std::size_t i = 0; i < calibration.size(); ++i) {
      if (parameters[i].is_reading() || !parameters[i].applies_to(experiment)) continue;
      add_override(json, parameters[i], calibration[i]);
    }
    const Experiment& changed_experiment = changed.experiments[k];
    if (!run_same_algorithms(changed_experiment, experiment)) {
      json["heuristics"] = heuristics_json(changed_experiment);
    }
  }
  return to_indented_json(document);
}

}  // namespace starport::fit
