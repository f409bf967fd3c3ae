// starport list: the heuristics.
#include "heuristics/star/registry.hpp"
#include "sim/cli/command.hpp"
#include "sim/files/output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace starport {

int list_command(const std::vector<std::string>& arguments) {
  CommandLine line("list", {}, "Lists the heuristics, with their source and parameters.",
                   "starport list");
  if (!line.parse(arguments)) return kSuccess;

  std::string text = "Heuristics (* one of the seven of PPoPP'08, which --heuristics all means):\n";
  for (const HeuristicEntry& entry : heuristic_registry()) {
    text += fmt::format("\n{} {:<7} {}\n          {}\n", entry.in_ppopp08 ? '*' : ' ', entry.name,
                        entry.description, entry.source);
    for (const HeuristicParameter& parameter : entry.parameters) {
      text += fmt::format("          [{}={}] {}\n", parameter.key,
                          parameter.values.empty()
                              ? std::string("N")
                              : fmt::format("{}", fmt::join(parameter.values, "|")),
                          parameter.description);
    }
  }
  print(text);
  return kSuccess;
}

}  // namespace starport
