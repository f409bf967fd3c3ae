#include "heuristics/registry.hpp"

#include "heuristics/demand_driven.hpp"
#include "heuristics/heterogeneous.hpp"
#include "heuristics/homogeneous.hpp"
#include "heuristics/min_min.hpp"
#include "heuristics/round_robin.hpp"
#include "sim/model/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace starport {
namespace {

std::unique_ptr<Heuristic> make_het(const ParameterValues& parameters) {
  const auto admits = [&](const char* key, const char* value) {
    const auto it = parameters.find(key);
    return it == parameters.end() || it->second == value;
  };
  std::vector<Selection> selections;
  for (const Selection& selection : kSelections) {
    if (admits("ratio", selection.local ? "local" : "global") &&
        admits("look_ahead", selection.look_ahead ? "yes" : "no") &&
        admits("count_c", selection.count_c ? "yes" : "no")) {
      selections.push_back(selection);
    }
  }
  return std::make_unique<Heterogeneous>(std::move(selections));
}

std::unique_ptr<Heuristic> make_holm(const ParameterValues& parameters) {
  std::optional<std::int64_t> enrolled;
  if (const auto it = parameters.find("workers"); it != parameters.end()) {
    enrolled = std::stoll(it->second);
  }
  return std::make_unique<HomogeneousMaster>(enrolled);
}

template <class Kind, auto... arguments>
std::unique_ptr<Heuristic> make(const ParameterValues&) {
  return std::make_unique<Kind>(arguments...);
}
template <const MemoryLayout& layout>
std::unique_ptr<Heuristic> make_demand_driven(const ParameterValues&) {
  return std::make_unique<DemandDriven>(layout);
}

using Thresholds = HomogeneousExtraction::Thresholds;

}  // namespace

const std::vector<HeuristicEntry>& heuristic_registry() {
  static const std::vector<HeuristicEntry> registry{
      {"Het",
       "incremental selection of workers, the best of eight variants",
       "PPoPP'08, section 5",
       true,
       {{"ratio", {"global", "local"}, "try only the variants with this ratio"},
        {"look_ahead", {"yes", "no"}, "try only the variants with, or without, look-ahead"},
        {"count_c", {"yes", "no"}, "try only the variants that count, or ignore, the cost of C"}},
       make_het},
      {"Hom",
       "the homogeneous algorithm on the best memory threshold",
       "PPoPP'08, section 6.2",
       true,
       {},
       make<HomogeneousExtraction, Thresholds::memory>},
      {"HomI",
       "the homogeneous algorithm on the best memory, link and speed thresholds",
       "PPoPP'08, section 6.2",
       true,
       {},
       make<HomogeneousExtraction, Thresholds::all>},
      {"ORROML",
       "round-robin over all workers, optimized memory layout",
       "PPoPP'08, section 6.2",
       true,
       {},
       make<RoundRobin>},
      {"OMMOML",
       "min-min: to the worker that will finish first, optimized memory layout",
       "PPoPP'08, section 6.2",
       true,
       {},
       make<MinMin>},
      {"ODDOML",
       "demand-driven, optimized memory layout",
       "PPoPP'08, section 6.2",
       true,
       {},
       make_demand_driven<kOptimizedOverlapped>},
      {"BMM",
       "demand-driven, Toledo's layout in three squares",
       "PPoPP'08, section 6.2",
       true,
       {},
       make_demand_driven<kToledo>},
      {"HoLM",
       "the homogeneous algorithm, for workers all alike",
       "IPDPS'07, section 4",
       false,
       {{"workers", {}, "enrol this many workers instead of ceil(mu w / (2 c))"}},
       make_holm},
      {"DDOML",
       "demand-driven, optimized memory layout without overlap",
       "IPDPS'07, section 5",
       false,
       {},
       make_demand_driven<kOptimized>},
      {"OBMM",
       "demand-driven, Toledo's layout in five squares, overlapped",
       "IPDPS'07, section 5",
       false,
       {},
       make_demand_driven<kToledoOverlapped>},
  };
  return registry;
}

namespace {

constexpr const char* kPlace = "--heuristics";

const HeuristicEntry& find_entry(const std::string& name) {
  const auto& registry = heuristic_registry();
  const auto it = std::find_if(registry.begin(), registry.end(),
                               [&](const HeuristicEntry& entry) { return entry.name == name; });
  if (it != registry.end()) return *it;
  std::vector<std::string> names;
  for (const HeuristicEntry& entry : registry) names.push_back(entry.name);
  throw InputError(kPlace, fmt::format("all, all+ or names among {}", fmt::join(names, ", ")),
                   "'" + name + "'", did_you_mean(name, names));
}

void check_value(const HeuristicEntry& entry, const std::string& key, const std::string& value) {
  std::vector<std::string> keys;
  for (const HeuristicParameter& parameter : entry.parameters) {
    keys.push_back(parameter.key);
    if (parameter.key != key) continue;
    if (parameter.values.empty()) {
      std::int32_t number = 0;
      const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (error == std::errc{} && rest == value.data() + value.size() && number >= 1) return;
      throw InputError(kPlace, fmt::format("{}[{}=N], N an integer of at least 1", entry.name, key),
                       "'" + value + "'");
    }
    if (std::find(parameter.values.begin(), parameter.values.end(), value) !=
        parameter.values.end()) {
      return;
    }
    throw InputError(kPlace,
                     fmt::format("{}[{}={}]", entry.name, key, fmt::join(parameter.values, "|")),
                     "'" + value + "'", did_you_mean(value, parameter.values));
  }
  throw InputError(kPlace,
                   keys.empty()
                       ? fmt::format("no parameter, {} has none", entry.name)
                       : fmt::format("a parameter of {}: {}", entry.name, fmt::join(keys, ", ")),
                   "'" + key + "'", did_you_mean(key, keys));
}

/// "key=value,key=value", what stands between the brackets.
ParameterValues parse_parameters(const HeuristicEntry& entry, std::string_view text) {
  ParameterValues values;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      throw InputError(kPlace, fmt::format("{}[key=value,...]", entry.name),
                       "'" + std::string(item) + "'");
    }
    const std::string key(item.substr(0, equals));
    const std::string value(item.substr(equals + 1));
    check_value(entry, key, value);
    if (!values.emplace(key, value).second) {
      throw InputError(kPlace, fmt::format("each parameter of {} once", entry.name),
                       "'" + key + "' twice");
    }
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

NamedHeuristic parse_one(std::string_view text) {
  const std::size_t bracket = text.find('[');
  const HeuristicEntry& entry = find_entry(std::string(text.substr(0, bracket)));
  ParameterValues values;
  if (bracket != std::string_view::npos) {
    if (!text.ends_with(']')) {
      throw InputError(kPlace, "a closing ']'", "'" + std::string(text) + "'");
    }
    values = parse_parameters(entry, text.substr(bracket + 1, text.size() - bracket - 2));
  }
  std::vector<std::string> shown;
  for (const auto& [key, value] : values) shown.push_back(key + "=" + value);
  return {shown.empty() ? entry.name : fmt::format("{}[{}]", entry.name, fmt::join(shown, ",")),
          entry.make(values)};
}

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

std::vector<NamedHeuristic> parse_heuristics(std::string_view text) {
  std::vector<NamedHeuristic> heuristics;
  const auto add = [&](NamedHeuristic heuristic) {
    const bool known =
        std::any_of(heuristics.begin(), heuristics.end(),
                    [&](const NamedHeuristic& other) { return other.name == heuristic.name; });
    if (!known) heuristics.push_back(std::move(heuristic));
  };
  for (const std::string_view item : split_list(text)) {
    if (item == "all" || item == "all+") {
      for (const HeuristicEntry& entry : heuristic_registry()) {
        if (entry.in_ppopp08 || item == "all+") add({entry.name, entry.make({})});
      }
    } else {
      add(parse_one(item));
    }
  }
  return heuristics;
}

}  // namespace starport
