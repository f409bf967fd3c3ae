#include "sim/report/claims/parameter.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/json_text.hpp"
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
  if (read.divide) throw node.at("divide").fault("multiply, set or repeat");
  const JsonNode range = node.at(read.repeated ? "repeat" : read.multiply ? "multiply" : "set");
  if (read.values.size() != 2 ||
      std::get<double>(read.values[0]) >= std::get<double>(read.values[1])) {
    throw range.fault("a range: its low end, then its high end");
  }
  return read;
}

/// "Het[clock=exact]" with a parameter among the others, or in its place.
std::string with_parameter(const std::string& asked, const std::string& key,
                           const std::string& value) {
  const std::size_t bracket = asked.find('[');
  std::string text = asked.substr(0, bracket) + "[";
  if (bracket != std::string::npos) {
    const std::string inside = asked.substr(bracket + 1, asked.size() - bracket - 2);
    std::string_view rest = inside;
    while (!rest.empty()) {
      const std::string_view item = take_until(rest, ',');
      if (!item.starts_with(key + "=")) text += std::string(item) + ",";
    }
  }
  return text + key + "=" + value + "]";
}

/// A heuristic read otherwise; nothing when that is not another one.
std::optional<NamedAlgorithm> read_as(const Parameter& parameter, const std::string& asked,
                                      std::size_t reading, const std::string& place) {
  // What holds unless given is not written.
  const bool given = asked.find("[" + parameter.key + "=") != std::string::npos ||
                     asked.find("," + parameter.key + "=") != std::string::npos;
  if (reading == 0 && !given) return std::nullopt;
  return parameter
      .read_algorithms(with_parameter(asked, parameter.key, parameter.readings.at(reading)), place)
      .front();
}

void try_readings(const Parameter& parameter, const std::string& asked, const JsonNode& node) {
  for (std::size_t i = 0; i < parameter.readings.size(); ++i) {
    read_as(parameter, asked, i, node.at("readings").pointer());
  }
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
    if (!node.has("heuristics")) {
      node.at("name");
      parameter.axis = read_axis(node);
      parameter.name = parameter.axis.column;
      return parameter;
    }
    node.allow_only({"name", "heuristics", "parameter", "readings", "group", "prior"});
    parameter.name = node.at("name").text();
    parameter.read_algorithms = known.read_algorithms;
    parameter.key = node.at("parameter").text();
    parameter.readings =
        node.at("readings").distinct([](const JsonNode& element) { return element.text(); });
    if (parameter.readings.size() < 2) throw node.at("readings").fault("two readings or more");
    parameter.heuristics = node.at("heuristics").distinct([&](const JsonNode& element) {
      const std::string name = element.text();
      bool run = false;
      for (const Experiment& experiment : specification.experiments) {
        if (!parameter.concerns(experiment)) continue;
        for (const NamedAlgorithm& named : *experiment.algorithms) {
          if (named.name != name) continue;
          run = true;
          try_readings(parameter, experiment.run_of(name), node);
        }
      }
      if (!run) throw element.fault("a heuristic that these experiments run");
      return name;
    });
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
  return is_reading() ? readings.at(static_cast<std::size_t>(value)) : fmt::format("{}", value);
}

std::string Parameter::range_text() const {
  if (!is_reading()) return fmt::format("{} {} to {}", axis.field, low(), high());
  return fmt::format("{}", fmt::join(readings, " or "));
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
        if (std::ranges::count(parameter.heuristics, named.name) == 0) continue;
        const auto read = read_as(parameter, experiment.run_of(named.name),
                                  static_cast<std::size_t>(calibration[i]), "");
        if (!read) continue;
        named.algorithm = read->algorithm;
        experiment.runs[named.name] = read->name;
      }
      experiment.algorithms = std::move(algorithms);
    }
  }
  return changed;
}

namespace {

/// Of two experiments with the same rows.
bool same_algorithms(const Experiment& one, const Experiment& other) {
  return std::ranges::all_of(*one.algorithms, [&](const NamedAlgorithm& named) {
    return one.run_of(named.name) == other.run_of(named.name);
  });
}

}  // namespace

Calibration readings_of(const Specification& specification,
                        const std::vector<Parameter>& parameters) {
  Calibration own;
  for (const Parameter& parameter : parameters) {
    std::size_t reading = 0;
    const auto has = [&] {
      const auto read = calibrated(specification, {parameter}, {static_cast<double>(reading)});
      return std::ranges::equal(specification.experiments, read.experiments, same_algorithms);
    };
    while (reading < parameter.readings.size() && !has()) ++reading;
    if (reading == parameter.readings.size()) {
      throw InputError("", "a specification with one of the readings " + parameter.range_text(),
                       "none of them, or several");
    }
    own.push_back(static_cast<double>(reading));
  }
  return own;
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

void add_to(nlohmann::ordered_json& experiment, const Parameter& parameter, double value) {
  const Override& axis = parameter.axis;
  nlohmann::ordered_json override{{"name", parameter.name}, {"field", axis.field}};
  const bool share = axis.multiply || axis.repeated;
  // Braces round one value are a list to one compiler, and the value itself to another.
  override[axis.repeated   ? "repeat"
           : axis.multiply ? "multiply"
                           : "set"] =
      nlohmann::ordered_json::array(
          {share ? nlohmann::ordered_json(value) : quantity(axis.field, value)});
  if (axis.repeated) override["of"] = quantity(axis.field, *axis.repeated);
  for (const std::int64_t worker : axis.workers) override["workers"].push_back(worker + 1);
  experiment["overrides"].push_back(std::move(override));
}

/// Its heuristics, those of other names with what is run.
nlohmann::ordered_json list_of(const Experiment& experiment) {
  auto list = nlohmann::ordered_json::array();
  for (const NamedAlgorithm& named : *experiment.algorithms) {
    nlohmann::ordered_json element = named.name;
    if (const std::string& run = experiment.run_of(named.name); run != named.name) {
      element = {{"name", named.name}, {"run", run}};
    }
    list.push_back(std::move(element));
  }
  return list;
}

}  // namespace

std::string calibrated_file(const Specification& specification,
                            const std::vector<Parameter>& parameters,
                            const Calibration& calibration) {
  auto document = own_json(specification.resolved);
  document["name"] = specification.name + ", fitted";
  const Specification changed = calibrated(specification, parameters, calibration);
  for (std::size_t n = 0; n < specification.experiments.size(); ++n) {
    const Experiment& experiment = specification.experiments[n];
    auto& written = document["experiments"][n];
    for (std::size_t i = 0; i < calibration.size(); ++i) {
      if (parameters[i].is_reading() || !parameters[i].concerns(experiment)) continue;
      add_to(written, parameters[i], calibration[i]);
    }
    const Experiment& read = changed.experiments[n];
    if (!same_algorithms(read, experiment)) written["heuristics"] = list_of(read);
  }
  return indented(document);
}

}  // namespace starport::fit
