// The frame of main(): standard streams, signals, exceptions and exit statuses.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace starport {

/// Runs `command` (not null) with the program's arguments (without argv[0]) and returns its exit
/// status; for main() only, since it changes the process. An exception of `command` becomes one
/// line on stderr and the status 2 for InputError, 1 for any other std::exception; anything else
/// that is thrown ends the program by std::abort(). Opens closed standard streams on /dev/null,
/// stdout so that printing on it fails, installs a terminate handler, and ignores SIGPIPE and
/// SIGXFSZ in the whole process, for good.
int run_program(int argc, char** argv, int (*command)(const std::vector<std::string>& arguments));

/// One command of a program that has several, such as `execute` of `starport-mpi`: its name, its
/// line in the help, and the function that carries it out. Stores pointers: the texts must outlive
/// it.
struct ProgramCommand {
  /// Name of the command, the first argument of the program; not null. Not owned.
  const char* name;
  /// Summary of the command for the program's help: one line, without a newline; not null. Not
  /// owned.
  const char* summary;
  /// Runs the command with the arguments after its name, and returns the exit status. Must be set;
  /// its exceptions pass through dispatch_command().
  std::function<int(const std::vector<std::string>& arguments)> run;
};
/// Commands that stand under one title in the help of their program. Stores pointers: the texts
/// must outlive it.
struct CommandGroup {
  /// Title of the group, such as "Simulate"; not null. Not owned.
  const char* title;
  /// The commands of the group, in the order of the help.
  std::vector<ProgramCommand> commands;
};
/// Description of a program with commands, such as starport-mpi: the texts of its help, and its
/// commands. Stores pointers: the texts must outlive it.
struct ProgramWithCommands {
  /// Name of the program, such as "starport-mpi"; not null. Not owned.
  const char* name;
  /// Words before the name of the program on a command line, ending in a space, such as "mpirun -n
  /// RANKS "; may be empty, not null. Not owned.
  const char* launcher;
  /// Purpose of the program for its help, as sentences; not null. Not owned.
  const char* purpose;
  /// Example of the use of the program for its help: one or several command lines, each further one
  /// after a newline and two spaces, without a newline at the end; not null. Not owned.
  const char* example;
  /// The commands in their groups, in the order of the help.
  std::vector<CommandGroup> groups;
  /// Lines after the commands in the help, such as the other programs of the installation; not
  /// null, each line with its newline. Not owned.
  const char* notes = "";
};
/// Returns the command of that name among `groups`; the reference is valid as long as they are.
/// Throws InputError at `place` if there is none; its message suggests a similar name, else the
/// option --help of the program named `program`.
const ProgramCommand& find_command(const std::vector<CommandGroup>& groups, const std::string& name,
                                   const std::string& place, const std::string& program);
/// Runs the command that the first argument names with the other arguments, and returns its exit
/// status. Prints the help for --help or -h, the version for --version and, for kDescribe
/// ("--describe"), the purpose, example and commands as JSON on one line, and returns 0; without
/// arguments, prints the help on stderr and returns 2. Throws InputError for an unknown command or
/// if stdout cannot be written; exceptions of the command pass through.
int dispatch_command(const ProgramWithCommands& program, const std::vector<std::string>& arguments);

/// Makes SIGINT, SIGTERM and, unless it is ignored (nohup), SIGHUP set stop_signal() instead of
/// ending the process, so that a long command can stop in good order: it must poll stop_signal().
/// Holds for the whole process and for good; blocking system calls are interrupted (EINTR).
void stop_on_signals();
/// Returns the number of the signal (SIGINT, SIGTERM or SIGHUP) that last asked this process to
/// stop since stop_on_signals() was called; 0 if none did, and before that call.
int stop_signal();

}  // namespace starport
