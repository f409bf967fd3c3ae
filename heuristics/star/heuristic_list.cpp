#include "heuristics/star/heuristic_list.hpp"

#include "heuristics/star/registry.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace starport {
namespace {

/// Reads one item of a list; its errors name the option.
class ItemParser {
 public:
  explicit ItemParser(std::string_view option) : option_(option) {}

  NamedHeuristic parse(std::string_view text) const {
    const std::size_t bracket = text.find('[');
    const HeuristicEntry& entry = find_entry(std::string(text.substr(0, bracket)));
    ParameterValues values;
    if (bracket != std::string_view::npos) {
      if (!text.ends_with(']')) {
        throw InputError(option_, "a closing ']'", "'" + std::string(text) + "'");
      }
      values = parse_parameters(entry, text.substr(bracket + 1, text.size() - bracket - 2));
    }
    std::vector<std::string> shown;
    for (const auto& [key, value] : values) shown.push_back(key + "=" + value);
    return {.name = shown.empty() ? entry.name
                                  : fmt::format("{}[{}]", entry.name, fmt::join(shown, ",")),
            .heuristic = entry.make(values)};
  }

 private:
  const HeuristicEntry& find_entry(const std::string& name) const {
    const auto& registry = heuristic_registry();
    const auto it = std::find_if(registry.begin(), registry.end(),
                                 [&](const HeuristicEntry& entry) { return entry.name == name; });
    if (it != registry.end()) return *it;
    std::vector<std::string> names;
    for (const HeuristicEntry& entry : registry) names.push_back(entry.name);
    throw InputError(
        option_,
        fmt::format("{} among {}", option_ == "--heuristic" ? "one name" : "all, all+ or names",
                    fmt::join(names, ", ")),
        "'" + name + "'", did_you_mean(name, names));
  }

  void check_value(const HeuristicEntry& entry, const std::string& key,
                   const std::string& value) const {
    std::vector<std::string> keys;
    for (const HeuristicParameter& parameter : entry.parameters) {
      keys.push_back(parameter.key);
      if (parameter.key != key) continue;
      if (parameter.values.empty()) {
        std::int32_t number = 0;
        const auto [rest, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (error == std::errc{} && rest == value.data() + value.size() && number >= 1) return;
        throw InputError(option_,
                         fmt::format("{}[{}=N], N an integer of at least 1", entry.name, key),
                         "'" + value + "'");
      }
      if (std::find(parameter.values.begin(), parameter.values.end(), value) !=
          parameter.values.end()) {
        return;
      }
      throw InputError(option_,
                       fmt::format("{}[{}={}]", entry.name, key, fmt::join(parameter.values, "|")),
                       "'" + value + "'", did_you_mean(value, parameter.values));
    }
    throw InputError(option_,
                     keys.empty()
                         ? fmt::format("no parameter, {} has none", entry.name)
                         : fmt::format("a parameter of {}: {}", entry.name, fmt::join(keys, ", ")),
                     "'" + key + "'", did_you_mean(key, keys));
  }

  /// "key=value,key=value", what stands between the brackets.
  ParameterValues parse_parameters(const HeuristicEntry& entry, std::string_view text) const {
    ParameterValues values;
    while (true) {
      const std::size_t comma = text.find(',');
      const std::string_view item = text.substr(0, comma);
      const std::size_t equals = item.find('=');
      if (equals == std::string_view::npos) {
        throw InputError(option_, fmt::format("{}[key=value,...]", entry.name),
                         "'" + std::string(item) + "'");
      }
      const std::string key(item.substr(0, equals));
      const std::string value(item.substr(equals + 1));
      check_value(entry, key, value);
      if (!values.emplace(key, value).second) {
        throw InputError(option_, fmt::format("each parameter of {} once", entry.name),
                         "'" + key + "' twice");
      }
      if (comma == std::string_view::npos) return values;
      text.remove_prefix(comma + 1);
    }
  }

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

std::vector<NamedHeuristic> parse_heuristics(std::string_view text, std::string_view option) {
  const ItemParser parser(option);
  std::vector<NamedHeuristic> heuristics;
  const auto add = [&](NamedHeuristic heuristic) {
    const auto known =
        std::find_if(heuristics.begin(), heuristics.end(),
                     [&](const NamedHeuristic& other) { return other.name == heuristic.name; });
    if (known == heuristics.end()) {
      heuristics.push_back(std::move(heuristic));
    } else {
      known->named |= heuristic.named;
    }
  };
  for (const std::string_view item : split_list(text)) {
    if (item == "all" || item == "all+") {
      for (const HeuristicEntry& entry : heuristic_registry()) {
        if (entry.in_ppopp08 || item == "all+") {
          add({.name = entry.name, .heuristic = entry.make({}), .named = false});
        }
      }
    } else {
      add(parser.parse(item));
    }
  }
  return heuristics;
}

}  // namespace starport
