// The frame of main(): standard streams, signals, exceptions and exit statuses.
#pragma once

#include <string>
#include <vector>

namespace starport {

/// Runs `command` with the program's arguments (without argv[0]) and returns its exit status; for
/// main() only. An exception of `command` becomes one line on stderr and the status 2 for
/// InputError, 1 for any other std::exception. Opens closed standard streams, installs a terminate
/// handler, and ignores SIGPIPE and SIGXFSZ in the whole process.
int run_program(int argc, char** argv, int (*command)(const std::vector<std::string>& arguments));

}  // namespace starport
