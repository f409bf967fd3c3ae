// What every program does around its commands.
#pragma once

#include <string>
#include <vector>

namespace starport {

/// Runs the command on the program's arguments; what it throws becomes a line on stderr and an exit
/// status.
int run_program(int argc, char** argv, int (*command)(const std::vector<std::string>& arguments));

}  // namespace starport
