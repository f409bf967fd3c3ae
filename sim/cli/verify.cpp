// `starport verify`: checks that a result directory is unchanged.
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/output.hpp"
#include "sim/sweep/checksums.hpp"

#include <fmt/format.h>

namespace starport {

int verify_command(const std::vector<std::string>& arguments) {
  CommandLine line("verify", {"DIR"},
                   "Proves by its checksums that a sweep's result directory is as it was written: "
                   "of a complete one\nevery byte, of an unfinished one the rows of each instance.",
                   "starport verify /tmp/ppopp08");
  add_plugin_option(line);
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);
  const std::string directory = line.text("DIR");
  const Verification found = verify_directory(directory, model_registry());
  print(
      found.complete
          ? fmt::format("{}: complete, {} instances; every byte is as it was written\n", directory,
                        found.instances)
          : fmt::format("{}: unfinished, {} of {} instances; their rows are as they were written\n",
                        directory, found.instances, found.size));
  return kSuccess;
}

}  // namespace starport
