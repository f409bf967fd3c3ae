// starport-mpi: measures real machines and runs products on them. Rank 0 reads the command line and
// directs the other ranks.
#include "sim/app/command_line.hpp"
#include "sim/app/program.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/ranks.hpp"

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
    "Measures real machines and runs products on them, with MPI. Rank 0 is the master, each "
    "other rank a worker.";
constexpr const char* kExample =
    "mpirun -n 3 starport-mpi calibrate -o platform.json\n"
    "  mpirun -n 3 starport-mpi execute platform.json --problem 1600x1600x3200 --heuristics Het";

ProgramWithCommands program(const Communicator& communicator) {
  const auto with_ranks = [&](auto command) {
    return [&communicator, command](const std::vector<std::string>& arguments) {
      return command(communicator, arguments);
    };
  };
  return {.name = "starport-mpi",
          .launcher = "mpirun -n RANKS ",
          .purpose = kPurpose,
          .example = kExample,
          .groups = {{"Commands:",
                      {{"calibrate", "measure links and workers, and write a platform file",
                        with_ranks(calibrate_ranks_command)},
                       {"execute", "run a product and compare its time with the prediction",
                        with_ranks(execute_command)}}}}};
}

/// Prints the error. Then ends all ranks if they have been started; otherwise returns the status.
int fail(const std::exception& error, int status) {
  print_notice(error.what(), "starport-mpi");
  std::fflush(stderr);
  if (Ranks::has_started()) Communicator::abort(status);
  return status;
}

/// Runs the command on rank 0, and returns the exit status.
int run_master(const Communicator& communicator, const std::vector<std::string>& arguments) {
  try {
    return dispatch_command(program(communicator), arguments);
  } catch (const InputError& error) {
    return fail(error, kBadInput);
  } catch (const std::exception& error) {
    return fail(error, kFailedSimulation);
  }
}

/// Handles SIGBUS on the rank that maps the files of matrices: mostly, one has been truncated, and
/// an element beyond its end was accessed.
void report_bus_error(int /*signal*/) {
  constexpr std::string_view text =
      "starport-mpi: memory could not be accessed (SIGBUS): the file of a matrix has become "
      "shorter during the run, or cannot be read\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(starport::kFailedSimulation);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const Communicator communicator(argc, argv);
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (communicator.rank() != 0) {
    // The arguments without the name of the command.
    return run_worker_rank(communicator, {arguments.begin() + !arguments.empty(), arguments.end()});
  }
  std::signal(SIGBUS, report_bus_error);
  const int status = run_master(communicator, arguments);
  Ranks::dismiss(communicator);
  return status;
}
