// `starport merge`: joins the shards of a sweep.
#include "sim/sweep/merge.hpp"

#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starport {

int merge_command(const std::vector<std::string>& arguments) {
  CommandLine line("merge", {"DIR..."},
                   "Puts the result directories of a sweep's shards together, after checking that\n"
                   "they belong to the same sweep and that none is missing or unfinished.",
                   "starport merge /tmp/shard-1 /tmp/shard-2 -o /tmp/whole");
  line.add("output,o", "DIR",
           "result directory to write; new, empty, or left by an interrupted merge");
  add_plugin_option(line);
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);
  const std::string output = line.required("output", "the directory that the whole goes to");
  for (const std::string& shard : line.texts("DIR...")) {
    if (!are_same_file(shard, output)) continue;
    throw InputError("--output", "another directory than those that are read", "'" + output + "'");
  }
  const auto instances = merge_shards(line.texts("DIR..."), model_registry(), output,
                                      describe_invocation(line.command()));
  print(fmt::format("{}: {}\n", output, format_count(instances, "instance")));
  return kSuccess;
}

}  // namespace starport
