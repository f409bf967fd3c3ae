// The HTML page of a sweep's results or of the runs of a trace, for `starport report` and the
// Python package.
#pragma once

#include <string>

namespace starport {

/// The options of write_report_page(), which writes an HTML page of the results of a sweep (a
/// campaign of simulations): which results, which file, and which runs get a Gantt chart. A plain
/// value.
struct ReportPageRequest {
  /// Path of the directory with the results of a complete sweep (a campaign of simulations), as
  /// `starport sweep` writes it, or of a trace, a file that ends in .csv, of which all runs get a
  /// Gantt chart.
  std::string source;
  /// Path of the HTML file to write; a file there is replaced.
  std::string output;
  /// Runs (one heuristic on one instance) that get a Gantt chart, as --runs of `starport report`
  /// takes them: "auto" (as many as give 20 million characters, the fastest of each instance
  /// first), "all", "best" (the fastest of each instance), "none", or numbers, from 1, of instances
  /// (platform with product) such as "3,7-9", of which all runs get one. A trace requires "auto".
  std::string runs = "auto";
  /// Number of processes that simulate runs for the Gantt charts in parallel; at least 1 (not
  /// checked: undefined behaviour).
  int jobs = 1;
  /// Limit in wall-clock seconds on the simulation of each run for the Gantt charts; 0: no limit.
  /// If a run exceeds it, write_report_page() throws SimulationError.
  double time_limit_s = 0;
};

/// Writes an HTML page of the results of a sweep (a campaign of simulations): simulates the runs
/// that get a Gantt chart again; blocks until it is complete and shows its progress on stderr if
/// that is a terminal. Or writes a page of the runs of a trace, whether simulated or real.
/// Throws InputError if the directory is not a complete, unchanged result, has more than 100,000
/// rows or the trace is wrong, if other versions of the program or SimGrid made it (unless `runs`
/// is "none"), if `runs` is invalid, or if `output` cannot be written; SimulationError or
/// MachineError if a simulation fails or its makespan differs. An existing file `output` then stays
/// as it was. Call it while the process has one thread, since it forks.
void write_report_page(const ReportPageRequest& request);

}  // namespace starport
