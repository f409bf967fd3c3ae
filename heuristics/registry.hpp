// What lists of algorithms have in common, whatever their model: entries, groups, parameters, and
// how they are written on the command line.
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

/// One that stands in brackets behind the name: Het[ratio=local].
struct Parameter {
  std::string key;
  std::vector<std::string> values;  ///< the texts accepted; empty: an integer >= 1
  std::string otherwise;            ///< the value unless given; empty: there is none
  std::string meaning;
};

/// By key, as they are written.
using ParameterTexts = std::map<std::string, std::string>;

struct AlgorithmEntry {
  std::string name;
  std::string description;          ///< one line
  std::string source;               ///< paper and section
  std::vector<std::string> groups;  ///< names that stand for it and others in lists
  std::vector<Parameter> parameters = {};
  bool in_all = true;  ///< one of those that all+ stands for
  /// What stands behind a colon, "PROGRAM" in exec:PROGRAM, and its key among the parameters;
  /// empty: nothing does.
  std::string argument = {};
  bool open = false;  ///< takes parameters that it does not declare, with any values

  std::string usage() const { return argument.empty() ? name : name + ":" + argument; }
};

template <class Algorithm>
struct Entry : AlgorithmEntry {
  /// The texts must be among those that the parameters accept.
  std::function<std::unique_ptr<Algorithm>(const ParameterTexts&)> make;
};

/// A parameter and the field that it sets in a struct of all those of an algorithm.
template <class Parameters>
struct Field {
  Parameter parameter;
  std::function<void(Parameters&, const std::string&)> set;
};

template <class Member>
struct ValueOf : std::type_identity<Member> {};
template <class Value>
struct ValueOf<std::optional<Value>> : std::type_identity<Value> {};

/// One of some texts, each with its value.
template <class Parameters, class Member>
Field<Parameters> one_of(std::string key, Member Parameters::*field,
                         std::vector<std::pair<std::string, typename ValueOf<Member>::type>> values,
                         std::string meaning) {
  Parameter parameter{std::move(key), {}, "", std::move(meaning)};
  for (const auto& [text, value] : values) {
    parameter.values.push_back(text);
    if (Parameters{}.*field == value) parameter.otherwise = text;
  }
  return {std::move(parameter), [field, values](Parameters& parameters, const std::string& text) {
            for (const auto& [accepted, value] : values) {
              if (accepted == text) parameters.*field = value;
            }
          }};
}

/// An integer >= 1.
template <class Parameters, class Member>
Field<Parameters> integer(std::string key, Member Parameters::*field, std::string meaning) {
  Parameter parameter{std::move(key), {}, "", std::move(meaning)};
  if constexpr (std::is_integral_v<Member>) {
    parameter.otherwise = std::to_string(Parameters{}.*field);
  }
  return {std::move(parameter), [field](Parameters& parameters, const std::string& text) {
            parameters.*field = parse_number<typename ValueOf<Member>::type>(text).value();
          }};
}

/// An entry whose factory gets the parameters as a struct.
template <class Algorithm, class Parameters>
Entry<Algorithm> entry(AlgorithmEntry about, std::vector<Field<Parameters>> fields,
                       std::function<std::unique_ptr<Algorithm>(const Parameters&)> factory) {
  for (const Field<Parameters>& field : fields) about.parameters.push_back(field.parameter);
  return {std::move(about), [fields, factory](const ParameterTexts& texts) {
            Parameters parameters;
            for (const Field<Parameters>& field : fields) {
              const auto text = texts.find(field.parameter.key);
              if (text != texts.end()) field.set(parameters, text->second);
            }
            return factory(parameters);
          }};
}

/// One algorithm that a list asks for.
struct Asked {
  const AlgorithmEntry* entry;
  ParameterTexts parameters;
  bool named;  ///< by its name, not only as one of a group

  std::string name() const;  ///< as it is asked for again: "Het" or "Het[ratio=local]"
};

/// Reads a list such as "Het,ODDOML", "Het[ratio=local],BMM", "ppopp08,Polaris" or "all+" (every
/// one that is in it). One given twice counts once. Throws InputError naming the option.
std::vector<Asked> parse_list(const std::vector<const AlgorithmEntry*>& known,
                              std::string_view text, std::string_view option);

}  // namespace starport
