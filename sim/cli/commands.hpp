// The commands of `starport`, one function each.
#pragma once

#include "sim/app/command_line.hpp"

#include <string>
#include <vector>

namespace starport {

/// A command of `starport`: carries out `starport NAME arguments` (`arguments` without program and
/// command name), prints to stdout, and returns the exit status: 0 success, 1 a run or check
/// failed, 2 bad input. Throws InputError for bad arguments or files, any other exception if the
/// work fails.
using CommandFunction = int(const std::vector<std::string>& arguments);

/// The commands of `starport`, one function each: bound_command carries out `starport bound`, and
/// so on. Each throws InputError for bad arguments or files and returns the exit status.
CommandFunction bound_command, check_command, compare_runs_command, convert_command,
    explain_command, fit_command, list_command, merge_command, partition_command, plan_command,
    plot_command, replay_command, report_command, run_command, sweep_command, validate_command,
    vary_command, verify_command;

}  // namespace starport
