// The HTML page of a sweep's results, for `starport report` and the Python package.
#pragma once

#include <string>

namespace starport {

/// The options of write_report_page(): which results, which file, and which runs get a Gantt chart.
/// A plain value.
struct ReportPageRequest {
  /// Path of the result directory of a complete sweep.
  std::string directory;
  /// Path of the HTML file to write; a file there is replaced.
  std::string output;
  /// Runs that get a Gantt chart, as --runs of `starport report` takes them: "auto" (up to 20
  /// million characters), "all", "best", "none", or instance numbers from 1 such as "3,7-9".
  std::string runs = "auto";
  /// Number of processes that simulate the runs for the Gantt charts, at least 1.
  int jobs = 1;
  /// Limit of each of these simulations in wall-clock seconds; 0: no limit.
  double time_limit_s = 0;
};

/// Simulates the runs for the Gantt charts again, draws the plots with gnuplot, and writes the
/// page; blocks until it is complete and shows its progress on stderr. Throws InputError if the
/// directory is not a complete, unchanged result, if other versions of the program or SimGrid made
/// it (unless `runs` is "none"), if `runs` is invalid, or if `output` cannot be written;
/// SimulationError or MachineError if a simulation fails or its makespan differs;
/// std::runtime_error if gnuplot is missing or fails. An existing file `output` then stays as it
/// was. Call it while the process has one thread, since it forks.
void write_report_page(const ReportPageRequest& request);

}  // namespace starport
