// starport list: the heuristics.
#include "sim/app/algorithms.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace starport {

int list_command(const std::vector<std::string>& arguments) {
  CommandLine line("list", {}, "Lists the heuristics, with their source and parameters.",
                   "starport list");
  add_plugin_option(line);
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);

  std::string text =
      "Heuristics, with their groups: --heuristics takes names, groups (all: the seven of "
      "PPoPP'08)\n"
      "and all+, every one for the star.\n";
  for (const AlgorithmEntry* known : algorithm_entries()) {
    const AlgorithmEntry& entry = *known;
    text += fmt::format(
        "\n  {:<7} {}\n          {}{}\n", entry.usage(), entry.description, entry.source,
        entry.groups.empty() ? std::string()
                             : fmt::format(" (groups: {})", fmt::join(entry.groups, ", ")));
    for (const Parameter& parameter : entry.parameters) {
      text += fmt::format("          [{}={}] {}{}\n", parameter.key,
                          parameter.values.empty()
                              ? std::string("N")
                              : fmt::format("{}", fmt::join(parameter.values, "|")),
                          parameter.description,
                          parameter.default_value.empty()
                              ? std::string()
                              : fmt::format("; {} unless given", parameter.default_value));
    }
  }
  print(text);
  return kSuccess;
}

}  // namespace starport
