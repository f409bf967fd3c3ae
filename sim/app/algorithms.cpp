#include "sim/app/algorithms.hpp"

#include "heuristics/external/exec.hpp"
#include "heuristics/external/plugin.hpp"
#include "heuristics/spmd/distributions.hpp"
#include "heuristics/star/registry.hpp"
#include "heuristics/tiles/registry.hpp"
#include "sim/app/command_line.hpp"
#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/sweep/row_file.hpp"

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace starport {
namespace {

using Make = std::function<std::shared_ptr<const Algorithm>(const ParameterTexts&)>;

struct AllAlgorithms {
  std::vector<const AlgorithmEntry*> entries;
  std::map<const AlgorithmEntry*, Make> make;
  std::vector<std::pair<std::string, std::int64_t>> numbered;
  std::set<std::string> plugins;  ///< SHA-256 of each library

  /// Adds the entries of a registry, with colours from number `colour` on if it is above 0.
  template <class Kind>
  void add(const std::vector<Entry<Kind>>& registry, std::size_t colour) {
    for (const Entry<Kind>& entry : registry) {
      entries.push_back(&entry);
      if (colour > 0) numbered.emplace_back(entry.name, colour++);
      make[&entry] = [&entry](const ParameterTexts& texts) { return entry.make(texts); };
    }
  }
};

AllAlgorithms& all_algorithms() {
  static AllAlgorithms all = [] {
    AllAlgorithms known;
    known.add(heuristic_registry(), 1);
    // Figures show these beside those for stars, and seldom those for tile tasks.
    known.add(spmd::distribution_registry(), heuristic_registry().size() + 1);
    known.add(tiles::tile_registry(), 1);
    known.add(exec_registry(), 0);
    return known;
  }();
  return all;
}

}  // namespace

const std::vector<const AlgorithmEntry*>& algorithm_entries() { return all_algorithms().entries; }

std::vector<std::pair<std::string, std::int64_t>> numbered_algorithms() {
  return all_algorithms().numbered;
}

void add_plugin_option(CommandLine& line) {
  line.add("plugin", "FILE",
           "shared libraries with more heuristics, separated by commas (heuristics/PROTOCOL.md)");
}

void load_plugins(const CommandLine& line) {
  const std::string paths = line.find("plugin").value_or("");
  for (std::string_view rest = paths; !rest.empty();) {
    add_plugin(std::string(next_token(rest, ',')));
  }
}

void add_plugin(const std::string& path) {
  std::vector<Entry<Algorithm>> entries = load_plugin(path);
  std::string checksum = sha256_of_file(path);
  add_heuristics(std::move(entries), path);
  all_algorithms().plugins.insert(std::move(checksum));
}

std::vector<std::string> plugin_checksums() {
  const std::set<std::string>& plugins = all_algorithms().plugins;
  return {plugins.begin(), plugins.end()};
}

void add_heuristics(std::vector<Entry<Algorithm>> entries, const std::string& file) {
  static std::list<std::vector<Entry<Algorithm>>> added;  // a list, so that entries never move
  std::set<std::string> names;
  std::set<std::string> groups{"all+"};
  for (const AlgorithmEntry* entry : algorithm_entries()) {
    names.insert(entry->name);
    groups.insert(entry->groups.begin(), entry->groups.end());
  }
  for (const Entry<Algorithm>& entry : entries) {
    const std::string& name = entry.name;
    if (name.empty() || name.find_first_of(",[]: ") != std::string::npos ||
        has_control_characters(name)) {
      throw InputError("", "names of heuristics without commas, brackets, colons and spaces",
                       "'" + sanitize_line(name) + "'")
          .in_file(file);
    }
    if (groups.count(name) == 0 && names.insert(name).second) continue;
    throw InputError("", "heuristics with names of their own", "'" + name + "'").in_file(file);
  }
  for (const Entry<Algorithm>& entry : entries) {
    for (const std::string& group : entry.groups) {
      if (names.count(group) == 0) continue;
      throw InputError("", "groups with names of their own", "'" + group + "'").in_file(file);
    }
  }
  all_algorithms().add(added.emplace_back(std::move(entries)), 0);
}

std::vector<NamedAlgorithm> read_algorithms(std::string_view list, std::string_view place) {
  std::vector<NamedAlgorithm> algorithms;
  for (const SelectedAlgorithm& selected : parse_algorithm_list(algorithm_entries(), list, place)) {
    algorithms.push_back(
        {.name = selected.name(),
         .algorithm = all_algorithms().make.at(selected.entry)(selected.parameters),
         .named = selected.is_explicit});
  }
  return algorithms;
}

}  // namespace starport
