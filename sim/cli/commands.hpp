// The commands of `starport`: their functions, and the table that the program and its help go by.
#pragma once

#include "sim/app/command_line.hpp"
#include "sim/app/program.hpp"

#include <string>
#include <vector>

namespace starport {

/// Type of a command of `starport`: carries out `starport NAME arguments` (`arguments` without
/// program and command name), prints to stdout, blocks until done, and returns the exit status: 0
/// success, 1 a run or check failed, 128 plus the number of a signal that stopped it. Throws
/// InputError for bad arguments or files, any other exception if the work fails; run_program()
/// reports both, and returns 2 for InputError, else 1. May fork and install signal handlers: call
/// it once, in a process with one thread.
using CommandFunction = int(const std::vector<std::string>& arguments);

/// The commands of `starport`, one function each: compare_runs_command carries out `starport
/// compare-runs`, and so on. Each takes the arguments without program and command name, throws
/// InputError for bad arguments or files and returns the exit status, but in `starport`
/// calibrate_command and explore_command do not return: they replace this process by
/// starport-calibrate and starport-explore. In the Python module these two only throw InputError.
CommandFunction bound_command, calibrate_command, check_command, compare_runs_command,
    convert_command, explain_command, explore_command, fit_command, list_command, merge_command,
    partition_command, plan_command, plot_command, replay_command, report_command, run_command,
    sweep_command, validate_command, verify_command, worst_command;

/// Returns all commands of `starport` in their groups, in the order of the help. Created at the
/// first call, which is thread-safe; constant and valid until the program ends.
inline const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups{
      {"Simulate",
       {{"run", "simulate heuristics on a platform and compare them", run_command},
        {"explore", "the same in the browser, where the platform can be changed", explore_command},
        {"list", "list the heuristics and their parameters", list_command},
        {"bound", "compute bounds on throughput, makespan and communication", bound_command},
        {"partition", "divide a product among processors of given speeds", partition_command},
        {"worst", "search for the platform on which a heuristic loses most", worst_command},
        {"explain", "explain the columns of results", explain_command}}},
      {"Campaigns",
       {{"sweep", "run a campaign described in a JSON file", sweep_command},
        {"merge", "join the results of a sweep's shards", merge_command},
        {"report", "write the results of a sweep, or a trace, as an HTML page", report_command},
        {"plot", "draw a figure from results or a trace", plot_command}}},
      {"Platforms and schedules",
       {{"calibrate", "measure this machine and write its platform file", calibrate_command},
        {"convert", "convert a platform to SimGrid's format, or from StarPU's", convert_command},
        {"plan", "save the schedule of a heuristic", plan_command},
        {"replay", "run a saved schedule, on the same platform or another", replay_command},
        {"compare-runs", "find where two schedules or traces differ", compare_runs_command}}},
      {"Papers",
       {{"check", "check a paper's statements against results", check_command},
        {"fit", "find or vary calibrations, and count the statements of a paper that hold",
         fit_command}}},
      {"Maintenance",
       {{"validate", "check a file of any kind", validate_command},
        {"verify", "check that the results of a sweep are unchanged", verify_command}}}};
  return groups;
}

}  // namespace starport
