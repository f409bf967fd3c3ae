// The HTML page of a sweep's results or of the runs of a trace, for `starport report` and the
// Python package.
#pragma once

#include <string>

namespace starport {

/// The options of write_report_page(), which writes an HTML page of the results of a sweep (a
/// campaign of simulations): which results, which file, and which runs get a Gantt chart. A plain
/// value.
struct ReportPageRequest {
  /// Path of the directory with the results of a complete sweep (a campaign of simulations) or of
  /// one shard (part) of it, as `starport sweep` writes it, or of a trace, a file that ends in
  /// .csv, of which all runs get a Gantt chart.
  std::string source;
  /// Path of the HTML file to write; a file there is replaced.
  std::string output;
  /// Runs (one heuristic on one instance) that get a Gantt chart, as --runs of `starport report`
  /// takes them: "auto" (as many as fit in 20 million characters of the page, the fastest of each
  /// instance first), "all", "best" (the fastest of each instance), "none", or numbers, from 1, of
  /// instances (platform with product) such as "3,7-9", of which all runs get one. A trace requires
  /// "auto".
  std::string runs = "auto";
  /// Number of processes that simulate runs for the Gantt charts in parallel; at least 1 (not
  /// checked: undefined behaviour).
  int jobs = 1;
  /// Limit in wall-clock seconds on the simulation of each run for the Gantt charts; 0: no limit.
  /// If a run exceeds it, write_report_page() throws SimulationError.
  double time_limit_s = 0;
};

/// Writes an HTML page of the results of a sweep (a campaign of simulations), whose runs with a
/// Gantt chart it simulates again, or of the runs of a trace, simulated or real. Blocks until the
/// page is complete and shows its progress on stderr if that is a terminal. Call it while the
/// process has one thread, since it forks. Throws InputError if the directory is not a complete,
/// unchanged result or has more than 100,000 rows, if another version of the program or SimGrid or
/// other plug-ins made it (unless `runs` is "none"), if the trace or `runs` is invalid, or if
/// `output` cannot be written; SimulationError if a simulation fails or its makespan differs from
/// that in the results, and MachineError, a SimulationError, if no process can be created. An
/// existing file `output` stays as it was if it throws.
void write_report_page(const ReportPageRequest& request);

}  // namespace starport
