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

/// A named parameter of a registered algorithm, as users write it in brackets: Het[ratio=local]
/// sets the parameter with the key "ratio" to "local".
struct Parameter {
  /// Name of the parameter of an algorithm, e.g. "ratio"; unique within its algorithm.
  std::string key;
  /// Texts accepted as values of the parameter. If empty, the parameter accepts the integers from 1
  /// to 2^31 - 1.
  std::vector<std::string> values;
  /// Text shown to users as the default value of the parameter; empty if the parameter has none.
  std::string default_value;
  /// Description of the parameter for users: one line, without a newline.
  std::string description;
};

/// Values of parameters as text, by the key of the parameter, as the user wrote them in a list of
/// algorithms. A declared parameter that is missing has its default value or is not set. May hold
/// other keys: the text after the colon of exec:PROGRAM, with the key "PROGRAM"
/// (AlgorithmEntry::argument), and keys that only an external program knows.
using ParameterTexts = std::map<std::string, std::string>;

/// Description of a registered algorithm (a heuristic, for instance): its name, groups and
/// parameters, without the function that creates it, see Entry. Held by a registry (a constant list
/// of all algorithms of one kind), to which lists of selected algorithms point.
struct AlgorithmEntry {
  /// Name by which a list on the command line selects the algorithm, such as "Het": without commas,
  /// brackets, colons and spaces, and unique among all entries and groups. add_heuristics() throws
  /// InputError for an added entry that breaks this; built-in entries are not checked.
  std::string name;
  /// Description of the algorithm for users: one line, without a newline.
  std::string description;
  /// Origin of the algorithm, as text for users: a publication, mostly with the section, the path
  /// of a file that documents it, or a word such as "ours" or "Python".
  std::string source;
  /// Names of the groups that contain the algorithm, such as "ppopp08" (those of one paper); a list
  /// on the command line that names a group selects all its algorithms. May be empty. The group
  /// "all+" is not listed here, see `in_all_group`.
  std::vector<std::string> groups;
  /// Parameters that users can set for the algorithm in brackets; empty if it has none.
  std::vector<Parameter> parameters = {};
  /// True if the group "all+", which users can name in a list of algorithms, contains the
  /// algorithm.
  bool in_all_group = true;
  /// Name of the text that must follow the algorithm's name after a colon, such as "PROGRAM" in
  /// exec:PROGRAM. The text is passed to the algorithm as a parameter with this key. Empty if the
  /// name is written alone.
  std::string argument = {};
  /// True if the algorithm also accepts parameters that `parameters` does not declare, with any
  /// values; otherwise parse_algorithm_list() rejects them.
  bool accepts_any_parameter = false;

  /// Returns how users write the algorithm in a list, without parameters: "Het", or "exec:PROGRAM"
  /// if it has an argument.
  std::string usage() const { return argument.empty() ? name : name + ":" + argument; }
};

/// Entry of a registry: the description of an algorithm, and the function that creates it.
/// `Algorithm` is the base class of the created objects. Registries keep their entries until the
/// program ends.
template <class Algorithm>
struct Entry : AlgorithmEntry {
  /// Function, not empty, that creates a new object of the algorithm with the given parameter
  /// values; the result is never null and owned by the caller. May be called any number of times.
  /// Missing parameters get their defaults, but the text named by `argument` must be given. The
  /// values are not checked: they must be those of a parse_algorithm_list() call, otherwise the
  /// effect depends on the algorithm (ignored, or std::bad_optional_access). Throws InputError if
  /// the text named by `argument` is missing or a plug-in library fails to create the object;
  /// exceptions of the algorithm's constructor pass through.
  std::function<std::unique_ptr<Algorithm>(const ParameterTexts&)> make;
};

/// Returns an entry with the description of `entry` whose `make` returns the objects of `entry` as
/// those of their base class `Base`, which must have a virtual destructor (not checked).
template <class Base, class Kind>
Entry<Base> upcast_entry(Entry<Kind> entry) {
  return {std::move(static_cast<AlgorithmEntry&>(entry)), std::move(entry.make)};
}

/// A parameter of an algorithm, and the function that stores its value in `Parameters`, the struct
/// of options of that algorithm. Made by choice_field() or integer_field() for make_entry().
template <class Parameters>
struct ParameterField {
  /// Description of the parameter for users: key, accepted values, default and meaning.
  Parameter parameter;
  /// Converts a value of the parameter, given as text, and stores it in the struct; not empty. The
  /// text must be one that `parameter` accepts; for others, fields of choice_field() change nothing
  /// and those of integer_field() may throw std::bad_optional_access.
  std::function<void(Parameters&, const std::string&)> set;
};

/// Metafunction that removes std::optional: its member `type` is T for a `Member` of type T or
/// std::optional<T>.
template <class Member>
struct ValueOf : std::type_identity<Member> {};
template <class Value>
struct ValueOf<std::optional<Value>> : std::type_identity<Value> {};

/// Returns a parameter with a fixed set of accepted values, stored in the member `field` of the
/// struct `Parameters`. `values`, not empty (not checked), maps each accepted text to the value
/// stored for it; `description` is one line. The default is the last text whose value the member
/// has in `Parameters{}`, or none if there is no such text (e.g. for std::nullopt). Setting a text
/// that is not accepted changes nothing.
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

/// Returns a parameter that accepts the integers from 1 to 2^31 - 1, stored in the member `field`
/// of the struct `Parameters`, an integer or a std::optional of one. `description` is one line. The
/// default is the value of the member in `Parameters{}`, or none if the member is a std::optional.
/// parse_algorithm_list() checks this range, ParameterField::set does not: it stores any number
/// that the type of the member can hold, and throws std::bad_optional_access for other texts.
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

/// Returns a registry entry whose algorithm takes its options as a struct instead of texts. The
/// entry's `make` fills a default-constructed `Parameters` by `fields`, ignores keys that no field
/// has, and returns factory(parameters); exceptions of both pass through. `factory` must not be
/// empty, and must return a new object. The parameters of `fields` are appended to those of
/// `description`.
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

/// An algorithm selected by a list on the command line, with the values of its parameters. Made by
/// parse_algorithm_list(). Points to an entry owned by a registry, which must outlive this object.
struct SelectedAlgorithm {
  /// Entry of the algorithm in its registry, one of those given to parse_algorithm_list(); not
  /// null, not owned.
  const AlgorithmEntry* entry;
  /// Values of the algorithm's parameters given by the user, by key; parameters not given are
  /// absent. Values of declared parameters are already checked, others
  /// (AlgorithmEntry::accepts_any_parameter) are not. Holds also the text after the colon of
  /// exec:PROGRAM, with the key "PROGRAM" (AlgorithmEntry::argument).
  ParameterTexts parameters;
  /// True if the user's list contains the algorithm by its own name with exactly these
  /// `parameters`; false if it comes only from a group to which the algorithm belongs, even if the
  /// list also names the algorithm with other parameters.
  bool is_explicit;

  /// Returns the text that selects the algorithm with the same values again, parameters sorted by
  /// key: "Het", "Het[ratio=local]", "exec:./mine[depth=2]".
  std::string name() const;
};

/// Splits a list of algorithms at the commas outside brackets, and removes the spaces around each
/// item. An empty text gives one empty item. Does not check that brackets match; commas after an
/// unmatched one may not split.
std::vector<std::string> split_list(std::string_view text);

/// Parses `text`, a list of names of algorithms and groups separated by commas, such as
/// "Het,ODDOML", "Het[ratio=local], BMM" or "ppopp08,Polaris". Spaces around items are ignored. The
/// case of a name without a colon is ignored if only one name fits. Returns the selected algorithms
/// in the order of the list, with a group replaced by its members, without parameters, in the order
/// of `entries`, and duplicates (same algorithm, same parameters) once, at the first place. The
/// pointers in `entries` must not be null; the entries, but not the vector, must outlive the
/// results, which point to them. Throws InputError if `text` or an item is empty or malformed, a
/// name or a parameter is unknown, a value is not accepted, or a parameter is given twice; `option`
/// is named in the message as the place of the error, e.g. "--heuristics".
std::vector<SelectedAlgorithm> parse_algorithm_list(
    const std::vector<const AlgorithmEntry*>& entries, std::string_view text,
    std::string_view option);

}  // namespace starport
