// Work in a child process that Ctrl-C in Python ends at any time.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace starport::python {

/// Runs `work` in a forked child process and returns its texts. The caller must hold the
/// interpreter's lock, which is released meanwhile; `work` runs with the lock of the child. Throws
/// what `work` throws of InputError, NotApplicable and std::bad_alloc, SimulationError with the
/// message of any other std::exception, SimulationError when the child crashes or ends without a
/// result, MachineError when no process can be created, and the Python exception of a signal
/// handler, such as KeyboardInterrupt, within a tenth of a second; the child and its children are
/// killed then.
std::vector<std::string> in_child(const std::function<std::vector<std::string>()>& work);

/// Result of a command of the program `starport` that ran in a child process, as call_command()
/// returns it: its exit status and all that it printed, on standard output and on standard error.
struct CommandResult {
  int status = 0;      ///< exit status: 0 success, 1 a run or check failed, 128 + signal number
  std::string output;  ///< what it printed on standard output
  std::string notice;  ///< what it printed on standard error
};

/// Runs the command `arguments[0]` with the other arguments in a child process (see in_child).
/// Throws InputError if there is no such command, or it is calibrate or explore, which are programs
/// of their own; otherwise what in_child() throws for the command's exceptions.
CommandResult call_command(const std::vector<std::string>& arguments);

}  // namespace starport::python
