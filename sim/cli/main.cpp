// The program `starport`: finds the command and runs it.
#include "sim/app/program.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/process/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
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

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const CommandGroup& group : command_groups()) {
    commands.insert(commands.end(), group.commands.begin(), group.commands.end());
  }
  return commands;
}

constexpr const char* kPurpose =
    "Starport simulates schedules of matrix products on heterogeneous platforms and compares them.";
constexpr const char* kExample =
    "starport run platforms/ppopp08-memory.json --problem 8000x8000x64000";

std::string help() {
  std::string text = fmt::format("{}\n\nUsage: starport COMMAND [arguments]\n", kPurpose);
  for (const CommandGroup& group : command_groups()) {
    text += fmt::format("\n{}\n", group.title);
    for (const Command& command : group.commands) {
      text += fmt::format("  {:<13} {}\n", command.name, command.summary);
    }
  }
#ifdef STARPORT_HAS_MPI
  text += "\nOn real machines (under mpirun): starport-mpi calibrate, starport-mpi execute\n";
#else
  text +=
      "\nThis build has no starport-mpi, which executes schedules for real: cmake found no MPI "
      "(libopenmpi-dev,\nopenmpi-bin) or no BLAS (libopenblas-dev).\n";
#endif
#ifdef STARPORT_HAS_STARPU
  text += "With StarPU: starport-starpu calibrate, starport-starpu execute\n";
#else
  text +=
      "This build has no starport-starpu, which executes tile tasks: cmake found no StarPU, "
      "CLBlast "
      "(libstarpu-dev,\nlibclblast-dev, ocl-icd-opencl-dev) or MPI.\n";
#endif
  return text +
         fmt::format(
             "\n\"starport COMMAND --help\" describes a command, \"starport --version\" prints "
             "the versions.\nExample:\n  {}\n",
             kExample);
}

nlohmann::ordered_json description() {
  nlohmann::ordered_json json{{"purpose", kPurpose}, {"example", kExample}};
  for (const Command& command : all_commands()) {
    json["commands"].push_back({{"name", command.name}, {"summary", command.summary}});
  }
  return json;
}

/// Returns the function of a command. Throws InputError located at `place` if there is none of that
/// name.
CommandFunction* find_command(const std::string& name, const std::string& place) {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) {
    if (command.name == name) return command.run;
    names.emplace_back(command.name);
  }
  const std::string near = did_you_mean(name, names);
  throw InputError::with_problem(place, "'" + name + "' is not a command",
                                 near.empty() ? "starport --help lists the commands" : near);
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    static_cast<void>(write_all(STDERR_FILENO, help()));
    return kBadInput;
  }
  const std::string& name = arguments.front();
  const bool version = name == "--version" || name == "-V" || name == "version";
  const bool about = name == "--help" || name == "-h" || name == "help";
  if (name == "help" && arguments.size() == 2) {
    return find_command(arguments[1], "starport help")({"--help"});
  }
  if ((about || version) && arguments.size() > 1) {
    throw InputError::with_problem("starport " + name,
                                   "unexpected argument '" + arguments[1] + "'");
  }
  if (about) {
    print(help());
    return kSuccess;
  }
  if (name == kDescribe) {
    print(to_json_line(description()) + "\n");
    return kSuccess;
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
  return find_command(name, "starport")({arguments.begin() + 1, arguments.end()});
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, dispatch); }
