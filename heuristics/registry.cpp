#include "heuristics/registry.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"

#include <boost/algorithm/string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace starport {
namespace {

bool is_in_group(const AlgorithmEntry& entry, std::string_view group) {
  return (group == "all+" && entry.in_all_group) ||
         std::find(entry.groups.begin(), entry.groups.end(), group) != entry.groups.end();
}

std::vector<std::string> groups_of(const std::vector<const AlgorithmEntry*>& entries) {
  std::vector<std::string> groups;
  for (const AlgorithmEntry* entry : entries) {
    for (const std::string& group : entry->groups) {
      if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
    }
  }
  groups.emplace_back("all+");
  return groups;
}

/// Returns the item of a list with its name, up to the first bracket, spelt as that of the only
/// entry, else of the only group, that differs from it in case alone; unchanged if there is none or
/// several, or if the name itself exists.
std::string correct_case(const std::vector<const AlgorithmEntry*>& entries, std::string_view item) {
  const std::string_view head = item.substr(0, item.find('['));
  std::vector<std::string> names;
  for (const AlgorithmEntry* entry : entries) names.push_back(entry->name);
  const std::vector<std::string> groups = groups_of(entries);
  for (const auto& list : {groups, names}) {
    if (std::ranges::find(list, head) != list.end()) return std::string(item);
  }
  for (auto list : {names, groups}) {
    std::erase_if(list, [&](const std::string& name) { return !boost::iequals(name, head); });
    if (list.size() == 1) return list.front() + std::string(item.substr(head.size()));
  }
  return std::string(item);
}

/// Parses single items of a list such as "Het[ratio=local]".
class ItemParser {
 public:
  ItemParser(const std::vector<const AlgorithmEntry*>& entries, std::string_view option)
      : entries_(entries), option_(option) {}

  /// Parses one item. `previous` is the item before it, if any, to recognise a path that contains
  /// commas.
  SelectedAlgorithm parse(std::string_view text, const SelectedAlgorithm* previous) const {
    const std::size_t bracket = text.find('[');
    const std::string_view head = text.substr(0, bracket);
    SelectedAlgorithm selected{&find_entry(std::string(head), previous), {}, true};
    if (bracket != std::string_view::npos) {
      if (!text.ends_with(']')) {
        throw InputError(option_, "a closing ']'", "'" + std::string(text) + "'",
                         path_hint(*selected.entry));
      }
      selected.parameters =
          parse_parameters(*selected.entry, text.substr(bracket + 1, text.size() - bracket - 2));
    }
    if (!selected.entry->argument.empty()) set_argument(selected, head);
    return selected;
  }

 private:
  /// Stores the text after the colon as a parameter.
  void set_argument(SelectedAlgorithm& selected, std::string_view head) const {
    const std::string& key = selected.entry->argument;
    const std::string argument(head.substr(selected.entry->name.size() + 1));
    if (selected.parameters.count(key) > 0) {
      throw InputError::with_problem(
          option_, "'" + key + "' names the text after the colon and cannot be a parameter",
          "Choose another key");
    }
    if (argument.empty() || has_control_characters(argument)) {
      throw InputError(option_, selected.entry->usage() + "[key=value,...]",
                       "'" + sanitize_line(head) + "'", path_hint(*selected.entry));
    }
    selected.parameters[key] = argument;
  }

  /// Returns a hint for errors in the argument of `entry`, which is a path; empty if it has none.
  static std::string path_hint(const AlgorithmEntry& entry) {
    return entry.argument.empty()
               ? ""
               : "a path must not contain commas or brackets; use a symbolic link";
  }

  static bool matches(const AlgorithmEntry& entry, std::string_view name) {
    return entry.argument.empty() ? entry.name == name : name.starts_with(entry.name + ":");
  }

  const AlgorithmEntry& find_entry(const std::string& name,
                                   const SelectedAlgorithm* previous) const {
    std::vector<std::string> names;
    for (const AlgorithmEntry* entry : entries_) {
      if (matches(*entry, name)) return *entry;
      names.push_back(entry->usage());
    }
    const std::vector<std::string> groups = groups_of(entries_);
    if (std::find(groups.begin(), groups.end(), name) != groups.end()) {
      // A group without brackets is handled by parse_algorithm_list().
      throw InputError::with_problem(option_, "'" + name + "' is a group, which has no parameters",
                                     "Give the parameters to the heuristics by their names");
    }
    const std::string listed =
        fmt::format("{}; groups: {}", fmt::join(names, ", "), fmt::join(groups, ", "));
    names.insert(names.end(), groups.begin(), groups.end());
    const bool is_near = !did_you_mean(name, names).empty();
    // Possibly the rest of a path with a comma.
    const std::string advice = previous == nullptr ? "" : path_hint(*previous->entry);
    if (!advice.empty() && !is_near) {
      throw InputError::with_problem(option_, "'" + name + "' is not a heuristic",
                                     "If it belongs to the path before it: " + advice);
    }
    throw InputError::with_unknown_name(option_, name, "a heuristic or a group", names,
                                        is_near ? "" : listed);
  }

  /// Parses the text between the brackets, "key=value,key=value".
  ParameterTexts parse_parameters(const AlgorithmEntry& entry, std::string_view text) const {
    ParameterTexts texts;
    while (true) {
      const std::size_t comma = text.find(',');
      const std::string item = boost::trim_copy(std::string(text.substr(0, comma)));
      const std::size_t equals = item.find('=');
      if (equals == std::string::npos) {
        throw InputError(option_, fmt::format("{}[key=value,...]", entry.usage()), "'" + item + "'",
                         path_hint(entry));
      }
      const std::string key = item.substr(0, equals);
      const Parameter* parameter = find_parameter(entry, key);
      if (parameter != nullptr) check_value(entry, *parameter, item.substr(equals + 1));
      if (!texts.emplace(key, item.substr(equals + 1)).second) {
        throw InputError(option_, fmt::format("each parameter of {} once", entry.name),
                         "'" + key + "' twice");
      }
      if (comma == std::string_view::npos) return texts;
      text.remove_prefix(comma + 1);
    }
  }

  /// Returns the declared parameter; nullptr if it is undeclared and the entry accepts any.
  const Parameter* find_parameter(const AlgorithmEntry& entry, const std::string& key) const {
    std::vector<std::string> keys;
    for (const Parameter& parameter : entry.parameters) {
      if (parameter.key == key) return &parameter;
      keys.push_back(parameter.key);
    }
    if (entry.accepts_any_parameter && !key.empty()) return nullptr;
    if (keys.empty()) {
      throw InputError::with_problem(
          option_, fmt::format("{} has no parameters, but '{}' is given", entry.name, key));
    }
    throw InputError::with_unknown_name(option_, key, "a parameter of " + entry.name, keys,
                                        fmt::format("{}", fmt::join(keys, ", ")));
  }

  /// Throws InputError unless `parameter` accepts `value`.
  void check_value(const AlgorithmEntry& entry, const Parameter& parameter,
                   const std::string& value) const {
    const std::string& key = parameter.key;
    const std::vector<std::string>& values = parameter.values;
    if (values.empty()) {
      if (parse_number<std::int32_t>(value).value_or(0) >= 1) return;
      throw InputError(option_,
                       fmt::format("{}[{}=N], N an integer from 1 to {}", entry.name, key,
                                   std::numeric_limits<std::int32_t>::max()),
                       "'" + value + "'");
    }
    if (std::find(values.begin(), values.end(), value) != values.end()) return;
    throw InputError(option_, fmt::format("{}[{}={}]", entry.name, key, fmt::join(values, "|")),
                     "'" + value + "'", did_you_mean(value, values));
  }

  const std::vector<const AlgorithmEntry*>& entries_;
  std::string option_;  ///< place of the errors
};

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      items.push_back(boost::trim_copy(std::string(text.substr(begin, i - begin))));
      begin = i + 1;
    } else if (text[i] == '[') {
      ++depth;
    } else if (text[i] == ']') {
      --depth;
    }
  }
  return items;
}

std::string SelectedAlgorithm::name() const {
  std::string name = entry->name;
  std::vector<std::string> shown;
  for (const auto& [key, value] : parameters) {
    if (key == entry->argument) {
      name += ":" + value;
    } else {
      shown.push_back(key + "=" + value);
    }
  }
  return shown.empty() ? name : fmt::format("{}[{}]", name, fmt::join(shown, ","));
}

std::vector<SelectedAlgorithm> parse_algorithm_list(
    const std::vector<const AlgorithmEntry*>& entries, std::string_view text,
    std::string_view option) {
  const ItemParser parser(entries, option);
  std::vector<SelectedAlgorithm> list;
  const auto add = [&](SelectedAlgorithm selected) {
    const auto duplicate =
        std::find_if(list.begin(), list.end(), [&](const SelectedAlgorithm& other) {
          return other.entry == selected.entry && other.parameters == selected.parameters;
        });
    if (duplicate == list.end()) {
      list.push_back(std::move(selected));
    } else {
      duplicate->is_explicit |= selected.is_explicit;
    }
  };
  for (const std::string& given : split_list(text)) {
    const std::string item = correct_case(entries, given);
    bool is_group = false;
    for (const AlgorithmEntry* entry : entries) {
      if (!is_in_group(*entry, item)) continue;
      is_group = true;
      add({entry, {}, false});
    }
    if (!is_group) add(parser.parse(item, list.empty() ? nullptr : &list.back()));
  }
  return list;
}

}  // namespace starport
