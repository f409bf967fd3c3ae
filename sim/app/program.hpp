// The frame of main(): standard streams, signals, exceptions and exit statuses.
#pragma once

#include <string>
#include <vector>

namespace starport {

/// Runs `command` with the program's arguments (without argv[0]) and returns its exit status. An
/// exception becomes one line on stderr: status 2 for InputError, 1 for any other.
int run_program(int argc, char** argv, int (*command)(const std::vector<std::string>& arguments));

}  // namespace starport
