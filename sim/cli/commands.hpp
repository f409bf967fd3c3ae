// The commands of `starport`, one function each.
#pragma once

#include "sim/app/command_line.hpp"

#include <string>
#include <vector>

namespace starport {

/// A command: carries out `starport NAME arguments` and returns the exit status. Throws InputError
/// for bad arguments or files, any other exception if the work fails.
using CommandFunction = int(const std::vector<std::string>& arguments);

CommandFunction bound_command, check_command, compare_runs_command, convert_command,
    explain_command, fit_command, list_command, merge_command, partition_command, plan_command,
    plot_command, replay_command, report_command, run_command, sweep_command, validate_command,
    vary_command, verify_command;

}  // namespace starport
