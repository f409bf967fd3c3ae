// starport merge: the shards of a sweep as one result directory.
#include "sim/study/merge.hpp"

#include "sim/cli/command.hpp"
#include "sim/cli/known.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"

#include <fmt/format.h>

namespace starport {

int merge_command(const std::vector<std::string>& arguments) {
  CommandLine line("merge", {"DIR..."},
                   "Puts the result directories of a sweep's shards together, after checking that\n"
                   "they belong to the same sweep and that none is missing or unfinished.",
                   "starport merge /tmp/shard-1 /tmp/shard-2 -o /tmp/whole");
  line.add("output,o", "DIR", "where the whole goes: a new or empty directory");
  if (!line.parse(arguments)) return kSuccess;
  const std::string output = line.required("output", "the directory that the whole goes to");
  const auto instances =
      merge_shards(line.texts("DIR..."), known(), output, about_run(line.command()));
  print(fmt::format("{}: {} instances\n", output, instances));
  return kSuccess;
}

}  // namespace starport
