#include "heuristics/registry.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace starport {
namespace {

using Known = std::vector<const AlgorithmEntry*>;

bool in_group(const AlgorithmEntry& entry, std::string_view group) {
  return (group == "all+" && entry.in_all) ||
         std::find(entry.groups.begin(), entry.groups.end(), group) != entry.groups.end();
}

/// Reads one item of a list; its errors name the option.
class ItemParser {
 public:
  ItemParser(const Known& known, std::string_view option) : known_(known), option_(option) {}

  /// `before`: the item of the list before it, if any.
  Asked parse(std::string_view text, const Asked* before) const {
    const std::size_t bracket = text.find('[');
    const std::string_view head = text.substr(0, bracket);
    Asked asked{&find_entry(std::string(head), before), {}, true};
    if (bracket != std::string_view::npos) {
      if (!text.ends_with(']')) {
        throw InputError(option_, "a closing ']'", "'" + std::string(text) + "'",
                         hint_of(*asked.entry));
      }
      asked.parameters =
          parse_parameters(*asked.entry, text.substr(bracket + 1, text.size() - bracket - 2));
    }
    if (!asked.entry->argument.empty()) take_argument(asked, head);
    return asked;
  }

 private:
  /// What follows the colon becomes a parameter.
  void take_argument(Asked& asked, std::string_view head) const {
    const std::string& key = asked.entry->argument;
    const std::string argument(head.substr(asked.entry->name.size() + 1));
    if (argument.empty() || has_controls(argument) || asked.parameters.count(key) > 0) {
      throw InputError(option_, asked.entry->usage() + "[key=value,...]",
                       "'" + one_line(head) + "'", hint_of(*asked.entry));
    }
    asked.parameters[key] = argument;
  }

  static std::string hint_of(const AlgorithmEntry& entry) {
    return entry.argument.empty() ? ""
                                  : "a path has no comma and no bracket; a link may lead there";
  }

  static bool means(const AlgorithmEntry& entry, std::string_view name) {
    return entry.argument.empty() ? entry.name == name : name.starts_with(entry.name + ":");
  }

  const AlgorithmEntry& find_entry(const std::string& name, const Asked* before) const {
    std::vector<std::string> names;
    std::vector<std::string> groups;
    for (const AlgorithmEntry* entry : known_) {
      if (means(*entry, name)) return *entry;
      names.push_back(entry->usage());
      for (const std::string& group : entry->groups) {
        if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
      }
    }
    groups.emplace_back("all+");
    if (std::find(groups.begin(), groups.end(), name) != groups.end()) {  // then it has brackets
      throw InputError(option_, "'" + name + "' without parameters, it is a group",
                       "'" + name + "[...]'");
    }
    const std::string what =
        option_ == "--heuristic" ? "one name" : fmt::format("{} or names", fmt::join(groups, ", "));
    // Maybe the rest of a path.
    const std::string near = did_you_mean(name, names);
    throw InputError(option_, fmt::format("{} among {}", what, fmt::join(names, ", ")),
                     "'" + name + "'",
                     near.empty() && before != nullptr ? hint_of(*before->entry) : near);
  }

  /// "key=value,key=value", what stands between the brackets.
  ParameterTexts parse_parameters(const AlgorithmEntry& entry, std::string_view text) const {
    ParameterTexts texts;
    while (true) {
      const std::size_t comma = text.find(',');
      const std::string item(text.substr(0, comma));
      const std::size_t equals = item.find('=');
      if (equals == std::string::npos) {
        throw InputError(option_, fmt::format("{}[key=value,...]", entry.usage()), "'" + item + "'",
                         hint_of(entry));
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

  /// None for one that is not declared, of an entry that takes those.
  const Parameter* find_parameter(const AlgorithmEntry& entry, const std::string& key) const {
    std::vector<std::string> keys;
    for (const Parameter& parameter : entry.parameters) {
      if (parameter.key == key) return &parameter;
      keys.push_back(parameter.key);
    }
    if (entry.open && !key.empty()) return nullptr;
    throw InputError(option_,
                     keys.empty()
                         ? fmt::format("no parameter, {} has none", entry.name)
                         : fmt::format("a parameter of {}: {}", entry.name, fmt::join(keys, ", ")),
                     "'" + key + "'", did_you_mean(key, keys));
  }

  void check_value(const AlgorithmEntry& entry, const Parameter& parameter,
                   const std::string& value) const {
    const auto& [key, values, otherwise, meaning] = parameter;
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

  const Known& known_;
  std::string option_;
};

/// Splits at the commas outside brackets.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      items.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (text[i] == '[') {
      ++depth;
    } else if (text[i] == ']') {
      --depth;
    }
  }
  return items;
}

}  // namespace

std::string Asked::name() const {
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

std::vector<Asked> parse_list(const Known& known, std::string_view text, std::string_view option) {
  const ItemParser parser(known, option);
  std::vector<Asked> list;
  const auto add = [&](Asked asked) {
    const auto before = std::find_if(list.begin(), list.end(), [&](const Asked& other) {
      return other.entry == asked.entry && other.parameters == asked.parameters;
    });
    if (before == list.end()) {
      list.push_back(std::move(asked));
    } else {
      before->named |= asked.named;
    }
  };
  for (const std::string_view item : split_list(text)) {
    bool group = false;
    for (const AlgorithmEntry* entry : known) {
      if (!in_group(*entry, item)) continue;
      group = true;
      add({entry, {}, false});
    }
    if (!group) add(parser.parse(item, list.empty() ? nullptr : &list.back()));
  }
  return list;
}

}  // namespace starport
