#include "sim/app/program.hpp"

#include "sim/app/command_line.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/process/version.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

namespace starport {
namespace {

volatile std::sig_atomic_t received_signal = 0;

/// Opens standard streams that are closed, since the next file opened would get their numbers.
/// stdout is opened for reading only, so that printing still fails.
void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
}

/// Terminate handler: reports std::bad_alloc on one line. Destroying a document can allocate, and
/// an exception thrown there ends here.
[[noreturn]] void on_terminate() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    constexpr std::string_view line = "starport: not enough memory\n";
    static_cast<void>(write_all(STDERR_FILENO, line));
    _exit(kFailedSimulation);
  } catch (...) {
  }
  std::abort();
}

int fail(const char* what, int status) {
  print_error(what);
  return status;
}

std::string help(const ProgramWithCommands& program) {
  std::string text = fmt::format("{}\n\nUsage: {}{} COMMAND [arguments]\n", program.purpose,
                                 program.launcher, program.name);
  for (const CommandGroup& group : program.groups) {
    text += fmt::format("\n{}\n", group.title);
    for (const ProgramCommand& command : group.commands) {
      text += fmt::format("  {:<13} {}\n", command.name, command.summary);
    }
  }
  return text + program.notes +
         fmt::format(
             "\n\"{0} COMMAND --help\" describes a command, \"{0} --version\" prints the "
             "versions.\n"
             "Example:\n  {1}\n",
             program.name, program.example);
}

nlohmann::ordered_json description(const ProgramWithCommands& program) {
  nlohmann::ordered_json json{{"purpose", program.purpose}, {"example", program.example}};
  for (const CommandGroup& group : program.groups) {
    for (const ProgramCommand& command : group.commands) {
      json["commands"].push_back({{"name", command.name}, {"summary", command.summary}});
    }
  }
  return json;
}

}  // namespace

int run_program(int argc, char** argv, int (*command)(const std::vector<std::string>& arguments)) {
  open_standard_streams();
  std::set_terminate(on_terminate);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe on stdout is no error
  std::signal(SIGXFSZ,
              SIG_IGN);  // exceeding the file size limit is reported as an error of write()
  try {
    return command({argv + std::min(argc, 1), argv + argc});
  } catch (const InputError& error) {
    return fail(error.what(), kBadInput);
  } catch (const std::bad_alloc&) {
    return fail("not enough memory", kFailedSimulation);
  } catch (const std::exception& error) {
    return fail(error.what(), kFailedSimulation);
  }
}

const ProgramCommand& find_command(const std::vector<CommandGroup>& groups, const std::string& name,
                                   const std::string& place, const std::string& program) {
  std::vector<std::string> names;
  for (const CommandGroup& group : groups) {
    for (const ProgramCommand& command : group.commands) {
      if (command.name == name) return command;
      names.emplace_back(command.name);
    }
  }
  const std::string near = did_you_mean(name, names);
  throw InputError::with_problem(place, "'" + name + "' is not a command",
                                 near.empty() ? program + " --help lists the commands" : near);
}

int dispatch_command(const ProgramWithCommands& program,
                     const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    static_cast<void>(write_all(STDERR_FILENO, help(program)));
    return kBadInput;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h") {
    print(help(program));
    return kSuccess;
  }
  if (name == kDescribe) {
    print(to_json_line(description(program)) + "\n");
    return kSuccess;
  }
  if (name == "--version") {
    print(fmt::format("{} {} ({})\n", program.name, kVersion, kCommit));
    return kSuccess;
  }
  return find_command(program.groups, name, program.name, program.name)
      .run({arguments.begin() + 1, arguments.end()});
}

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { received_signal = signal; };
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
}

int stop_signal() { return received_signal; }

}  // namespace starport
