// Work in a child process that Ctrl-C in Python ends at any time.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace starport::python {

/// Runs `work` in a forked child process and returns the texts that `work` returned. The caller
/// must hold the interpreter's lock, which is released meanwhile; `work` runs with the lock of the
/// child. An InputError, NotApplicable or std::bad_alloc of `work` is thrown here too, and any
/// other std::exception as a SimulationError with its message; `work` must throw nothing else.
/// Throws SimulationError when the child crashes, is killed or ends without a result, MachineError
/// when no process can be created, and the Python exception of a signal handler, such as
/// KeyboardInterrupt, within a tenth of a second; the child and its children are killed then.
std::vector<std::string> in_child(const std::function<std::vector<std::string>()>& work);

/// Result of a command of the program `starport` that ran in a child process, as call_command()
/// returns it: its exit status and all that it printed, on standard output and on standard error.
struct CommandResult {
  /// Exit status of the command: 0 success, 1 a run or check failed, 128 plus the number of a
  /// signal that stopped it. Bad arguments or files give none: call_command() throws InputError.
  int status = 0;
  /// Text that the command printed on standard output.
  std::string output;
  /// Text that the command printed on standard error.
  std::string notice;
};

/// Runs the command `arguments[0]` of `starport` with the other arguments in a child process (see
/// in_child) and returns its exit status and output. Throws InputError if `arguments` is empty, if
/// there is no such command, or if it is calibrate or explore, which are programs of their own;
/// otherwise what in_child() throws for the command's exceptions.
CommandResult call_command(const std::vector<std::string>& arguments);

}  // namespace starport::python
