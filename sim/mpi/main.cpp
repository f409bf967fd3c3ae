// starport-mpi: what runs on real machines. Rank 0 reads the command line and tells the others what
// to do.
#include "sim/app/command.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/output.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/rank_commands.hpp"
#include "sim/mpi/transport/ranks.hpp"
#include "sim/process/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace starport;
using namespace starport::mpi;

constexpr const char* kPurpose =
    "Starport on real machines, under MPI: rank 0 is the master, each other rank a worker.";
constexpr const char* kExample =
    "mpirun -n 3 starport-mpi calibrate -o platform.json\n"
    "  mpirun -n 3 starport-mpi execute platform.json --problem 1600x1600x3200 --heuristic Het";

struct RankCommand {
  const char* name;
  const char* summary;
  int (*run)(const Communicator& communicator, const std::vector<std::string>& arguments);
};
constexpr RankCommand kCommands[] = {
    {"calibrate", "measure links and workers, and write their platform file",
     calibrate_ranks_command},
    {"execute", "run a product for real, and compare with the prediction", execute_command}};

std::string help() {
  std::string text = fmt::format(
      "{}\n\nUsage: mpirun -n RANKS starport-mpi COMMAND [arguments]\n\nCommands:\n", kPurpose);
  for (const RankCommand& command : kCommands) {
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  }
  return text + fmt::format("\nstarport-mpi COMMAND --help explains a command.\nExample:\n  {}\n",
                            kExample);
}

nlohmann::ordered_json description() {
  nlohmann::ordered_json json{{"purpose", kPurpose}, {"example", kExample}};
  for (const RankCommand& command : kCommands) {
    json["commands"].push_back({{"name", command.name}, {"summary", command.summary}});
  }
  return json;
}

int command(const Communicator& communicator, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    throw InputError("starport-mpi", "a command", "nothing", "starport-mpi --help lists them");
  }
  const std::string& name = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (name == "--help" || name == "-h") {
    print(help());
    return kSuccess;
  }
  if (name == kDescribe) {
    print(on_one_line(description()) + "\n");
    return kSuccess;
  }
  if (name == "--version") {
    print(fmt::format("starport-mpi {} ({})\n", kVersion, kCommit));
    return kSuccess;
  }
  return find_named(kCommands, name, "starport-mpi", "a command").run(communicator, rest);
}

/// One line, on behalf of all the ranks; those that have started must be ended.
int fail(const std::exception& error, int status) {
  tell(error.what(), "starport-mpi");
  std::fflush(stderr);
  if (Ranks::started()) Communicator::abort(status);
  return status;
}

int lead(const Communicator& communicator, const std::vector<std::string>& arguments) {
  try {
    return command(communicator, arguments);
  } catch (const InputError& error) {
    return fail(error, kBadInput);
  } catch (const std::exception& error) {
    return fail(error, kFailedSimulation);
  }
}

}  // namespace

namespace {

/// A file that is mapped has been cut short: what lies beyond its end cannot be read.
void tell_bus_error(int /*signal*/) {
  constexpr std::string_view text =
      "starport-mpi: the file of a matrix has become shorter during the run\n";
  static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()));
  ::_exit(starport::kFailedSimulation);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGBUS, tell_bus_error);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const Communicator communicator(argc, argv);
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (communicator.rank() != 0) {
    // Without the name of the command.
    return Ranks::follow(communicator, {arguments.begin() + !arguments.empty(), arguments.end()});
  }
  const int status = lead(communicator, arguments);
  Ranks::dismiss(communicator);
  return status;
}
