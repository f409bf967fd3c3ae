// The program `starport`: finds the command and runs it.
#include "sim/app/program.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/process/version.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace starport {

namespace {

/// Replaces this process by the program of that name, which is installed beside this one. Throws
/// InputError that says `reason` and `advice` if there is none.
[[noreturn]] void become(const std::string& name, const std::vector<std::string>& arguments,
                         const char* reason, const char* advice) {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::string program = here / ("starport-" + name);
  std::vector<std::string> words = arguments;
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  if (errno != ENOENT) {
    throw InputError::with_problem(
        "", fmt::format("the program cannot be started: {}", std::strerror(errno)))
        .in_file(program);
  }
  throw InputError::with_problem("starport " + name, reason, advice);
}

}  // namespace

int calibrate_command(const std::vector<std::string>& arguments) {
  become("calibrate", arguments, "this build has no BLAS to measure",
         "Install libopenblas-dev, then run cmake and build again");
}

int explore_command(const std::vector<std::string>& arguments) {
  become("explore", arguments, "this build has no HTTP library",
         "Install libcpp-httplib-dev, then run cmake and build again");
}

}  // namespace starport

namespace {

using namespace starport;

constexpr const char* kNotes =
#ifdef STARPORT_HAS_MPI
    "\nOn real machines (under mpirun): starport-mpi calibrate, starport-mpi execute\n"
#else
    "\nThis build has no starport-mpi, which executes schedules for real: cmake found no MPI "
    "(libopenmpi-dev,\nopenmpi-bin) or no BLAS (libopenblas-dev).\n"
#endif
#ifdef STARPORT_HAS_STARPU
    "With StarPU: starport-starpu calibrate, starport-starpu execute\n";
#else
    "This build has no starport-starpu, which executes tile tasks: cmake found no StarPU, CLBlast "
    "(libstarpu-dev,\nlibclblast-dev, ocl-icd-opencl-dev) or MPI.\n";
#endif

int dispatch(const std::vector<std::string>& arguments) {
  const std::string name = arguments.empty() ? "" : arguments.front();
  const bool version = name == "--version" || name == "-V" || name == "version";
  const bool about = name == "--help" || name == "-h" || name == "help";
  if (name == "help" && arguments.size() == 2) {
    return find_command(command_groups(), arguments[1], "starport help", "starport")
        .run({"--help"});
  }
  if ((about || version) && arguments.size() > 1) {
    throw InputError::with_problem("starport " + name,
                                   "unexpected argument '" + arguments[1] + "'");
  }
  if (version) {
    print(fmt::format("starport {} ({}), SimGrid {}\n", kVersion, kCommit,
                      std::string(kSimgridVersion)));
    return kSuccess;
  }
  if (name == "execute") {
    throw InputError::with_problem("starport", "'execute' is a command of another program",
                                   "Use starport-mpi execute");
  }
  const ProgramWithCommands program{
      .name = "starport",
      .launcher = "",
      .purpose =
          "Starport simulates schedules of matrix products on heterogeneous platforms and "
          "compares them.",
      .example = "starport run platforms/ppopp08-memory.json --problem 8000x8000x64000",
      .groups = command_groups(),
      .notes = kNotes};
  return dispatch_command(program, about ? std::vector<std::string>{"--help"} : arguments);
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, dispatch); }
