// Registries of algorithms: their descriptions and parameters, and the syntax of algorithm lists on
// the command line.
#pragma once

#include "sim/files/numbers.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace starport {

/// A parameter of an algorithm, as in Het[ratio=local].
struct Parameter {
  std::string key;
  std::vector<std::string> values;  ///< accepted values; if empty, any integer >= 1
  std::string default_value;        ///< empty if there is none
  std::string description;          ///< one line
};

/// The values of parameters as written, by key.
using ParameterTexts = std::map<std::string, std::string>;

/// The description of a registered algorithm, independent of its model.
struct AlgorithmEntry {
  std::string name;
  std::string description;          ///< one line
  std::string source;               ///< paper and section
  std::vector<std::string> groups;  ///< groups that contain it, such as "ppopp08"
  std::vector<Parameter> parameters = {};
  bool in_all_group = true;  ///< whether the group all+ contains it
  /// Name of the argument after a colon, such as "PROGRAM" in exec:PROGRAM, which becomes a
  /// parameter with this key; empty if there is none.
  std::string argument = {};
  bool accepts_any_parameter = false;  ///< accepts undeclared parameters with any values

  /// Returns how to write the algorithm in a list: "Het" or "exec:PROGRAM".
  std::string usage() const { return argument.empty() ? name : name + ":" + argument; }
};

/// A registered algorithm and its factory.
template <class Algorithm>
struct Entry : AlgorithmEntry {
  /// Creates the algorithm. The values must be valid, as those of parse_algorithm_list() are;
  /// missing parameters get their defaults.
  std::function<std::unique_ptr<Algorithm>(const ParameterTexts&)> make;
};

/// A parameter together with the function that sets it in the struct `Parameters` of an algorithm.
template <class Parameters>
struct ParameterField {
  Parameter parameter;
  std::function<void(Parameters&, const std::string&)> set;
};

/// The type T of a member of type T or std::optional<T>.
template <class Member>
struct ValueOf : std::type_identity<Member> {};
template <class Value>
struct ValueOf<std::optional<Value>> : std::type_identity<Value> {};

/// Declares a parameter with a fixed set of values. `values` maps each text to the value of the
/// member `field`; the text of the member's initial value is the default.
template <class Parameters, class Member>
ParameterField<Parameters> choice_field(
    std::string key, Member Parameters::*field,
    std::vector<std::pair<std::string, typename ValueOf<Member>::type>> values,
    std::string description) {
  Parameter parameter{std::move(key), {}, "", std::move(description)};
  for (const auto& [text, value] : values) {
    parameter.values.push_back(text);
    if (Parameters{}.*field == value) parameter.default_value = text;
  }
  return {std::move(parameter), [field, values](Parameters& parameters, const std::string& text) {
            for (const auto& [accepted, value] : values) {
              if (accepted == text) parameters.*field = value;
            }
          }};
}

/// Declares a parameter whose values are the integers >= 1. The default is the initial value of the
/// member `field`, or none if that is a std::optional.
template <class Parameters, class Member>
ParameterField<Parameters> integer_field(std::string key, Member Parameters::*field,
                                         std::string description) {
  Parameter parameter{std::move(key), {}, "", std::move(description)};
  if constexpr (std::is_integral_v<Member>) {
    parameter.default_value = std::to_string(Parameters{}.*field);
  }
  return {std::move(parameter), [field](Parameters& parameters, const std::string& text) {
            parameters.*field = parse_number<typename ValueOf<Member>::type>(text).value();
          }};
}

/// Creates an entry whose factory receives the parameters as a struct instead of texts.
template <class Algorithm, class Parameters>
Entry<Algorithm> make_entry(AlgorithmEntry description,
                            std::vector<ParameterField<Parameters>> fields,
                            std::function<std::unique_ptr<Algorithm>(const Parameters&)> factory) {
  for (const ParameterField<Parameters>& field : fields)
    description.parameters.push_back(field.parameter);
  return {std::move(description), [fields, factory](const ParameterTexts& texts) {
            Parameters parameters;
            for (const ParameterField<Parameters>& field : fields) {
              const auto text = texts.find(field.parameter.key);
              if (text != texts.end()) field.set(parameters, text->second);
            }
            return factory(parameters);
          }};
}

/// An algorithm selected by a list. Refers to its entry in the registry.
struct SelectedAlgorithm {
  const AlgorithmEntry* entry;
  ParameterTexts parameters;
  bool is_explicit;  ///< listed by its own name, not only as a member of a group

  /// Returns the text that selects it again: "Het" or "Het[ratio=local]".
  std::string name() const;
};

/// Parses a list of names and groups such as "Het,ODDOML", "Het[ratio=local],BMM" or
/// "ppopp08,Polaris". Returns the algorithms in the order of the list, duplicates once. Throws
/// InputError, with `option` as its place, if the list contains an unknown name, an unknown
/// parameter or an invalid value.
std::vector<SelectedAlgorithm> parse_algorithm_list(
    const std::vector<const AlgorithmEntry*>& entries, std::string_view text,
    std::string_view option);

}  // namespace starport
