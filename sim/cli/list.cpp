// `starport list`: the heuristics and their parameters.
#include "sim/app/algorithms.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

namespace starport {
namespace {

bool is_same(const Parameter& a, const Parameter& b) {
  return std::tie(a.key, a.values, a.default_value, a.description) ==
         std::tie(b.key, b.values, b.default_value, b.description);
}

/// Returns the parameter as it is written: "clock=coarse|exact" or "seed=N".
std::string syntax(const Parameter& parameter) {
  return fmt::format(
      "{}={}", parameter.key,
      parameter.values.empty() ? "N" : fmt::format("{}", fmt::join(parameter.values, "|")));
}

std::string describe(const Parameter& parameter) {
  return parameter.default_value.empty()
             ? parameter.description
             : fmt::format("{} (default: {})", parameter.description, parameter.default_value);
}

/// Formats the parameters that at least two heuristics share, each with the names of these.
std::string shared_parameters() {
  std::vector<std::pair<const Parameter*, std::vector<std::string>>> shared;
  for (const AlgorithmEntry* entry : algorithm_entries()) {
    for (const Parameter& parameter : entry->parameters) {
      const auto found = std::ranges::find_if(
          shared, [&](const auto& item) { return is_same(*item.first, parameter); });
      if (found == shared.end()) {
        shared.push_back({&parameter, {entry->name}});
      } else {
        found->second.push_back(entry->name);
      }
    }
  }
  std::string text;
  for (const auto& [parameter, names] : shared) {
    if (names.size() < 2) continue;
    text += fmt::format("    {}\n        {}\n        of {}\n", syntax(*parameter),
                        describe(*parameter), fmt::join(names, ", "));
  }
  return text.empty() ? "" : "\nParameters of several heuristics:\n" + text;
}

/// Returns the keys of the parameters of a heuristic, as many as the overview has room for.
std::string keys_of(const AlgorithmEntry& entry) {
  constexpr std::size_t room = 55;
  std::string keys;
  for (const Parameter& parameter : entry.parameters) {
    if (keys.size() + parameter.key.size() > room) return keys + ",...";
    keys += (keys.empty() ? "" : ",") + parameter.key;
  }
  return keys;
}

/// Formats one line per heuristic, then the shared parameters.
std::string overview() {
  std::vector<std::vector<std::string>> rows{{"name", "groups", "parameters", "description"}};
  for (const AlgorithmEntry* entry : algorithm_entries()) {
    rows.push_back({entry->usage(), fmt::format("{}", fmt::join(entry->groups, ",")),
                    keys_of(*entry), entry->description});
  }
  return "Heuristics for --heuristics. Groups stand for their members; all+: every one for stars.\n"
         "\"starport list NAME\" shows the source and the parameters of a heuristic.\n\n" +
         align(rows, 2, SIZE_MAX) + shared_parameters();
}

std::string details(const AlgorithmEntry& entry) {
  std::string text =
      fmt::format("{}: {}\n  source: {}\n", entry.usage(), entry.description, entry.source);
  if (!entry.groups.empty()) {
    text += fmt::format("  groups: {}\n", fmt::join(entry.groups, ", "));
  }
  for (const Parameter& parameter : entry.parameters) {
    text += fmt::format("  [{}]\n      {}\n", syntax(parameter), describe(parameter));
  }
  return text;
}

const AlgorithmEntry& find_entry(const std::string& name) {
  std::vector<std::string> names;
  for (const AlgorithmEntry* entry : algorithm_entries()) {
    if (entry->name == name || entry->usage() == name) return *entry;
    names.push_back(entry->name);
  }
  throw InputError::with_unknown_name("starport list", name, "a heuristic", names,
                                      fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace

int list_command(const std::vector<std::string>& arguments) {
  CommandLine line("list", {"[NAME...]"},
                   "Lists the heuristics, one line each. With names: the source and the parameters "
                   "of these.",
                   "starport list\n  starport list Het Polaris");
  add_plugin_option(line);
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);
  if (!line.has("[NAME...]")) {
    print(overview());
    return kSuccess;
  }
  std::string text;
  for (const std::string& name : line.texts("[NAME...]")) {
    text += (text.empty() ? "" : "\n") + details(find_entry(name));
  }
  print(text);
  return kSuccess;
}

}  // namespace starport
