// The frame of main(): standard streams, signals, exceptions and exit statuses.
#pragma once

#include <string>
#include <vector>

namespace starport {

/// Runs `command` (not null) with the program's arguments (without argv[0]) and returns its exit
/// status; for main() only, since it changes the process. An exception of `command` becomes one
/// line on stderr and the status 2 for InputError, 1 for any other std::exception; anything else
/// that is thrown ends the program by std::abort(). Opens closed standard streams on /dev/null,
/// installs a terminate handler, and ignores SIGPIPE and SIGXFSZ in the whole process, for good.
int run_program(int argc, char** argv, int (*command)(const std::vector<std::string>& arguments));

/// Makes SIGINT, SIGTERM and, unless it is ignored (nohup), SIGHUP set stop_signal() instead of
/// ending the process, so that a long command can stop in good order: it must poll stop_signal().
/// Holds for the whole process and for good; blocking system calls are interrupted (EINTR).
void stop_on_signals();
/// Returns the number of the signal (SIGINT, SIGTERM or SIGHUP) that last asked this process to
/// stop since stop_on_signals() was called; 0 if none did, and before that call.
int stop_signal();

}  // namespace starport
