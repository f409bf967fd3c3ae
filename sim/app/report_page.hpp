// The HTML page of a sweep's results, for `starport report` and the Python package.
#pragma once

#include <string>

namespace starport {

/// Options of write_report_page().
struct ReportPageRequest {
  std::string directory;  ///< result directory of a complete sweep
  std::string output;     ///< path of the HTML file
  std::string runs =
      "auto";               ///< runs with a Gantt chart, as --runs of `starport report` takes them
  int jobs = 1;             ///< number of processes that simulate these runs
  double time_limit_s = 0;  ///< wall-clock limit of each simulation, in seconds; 0: no limit
};

/// Simulates the runs for the Gantt charts again and writes the page. Throws InputError if the
/// directory is not a complete, unchanged result of this version, or if `output` cannot be written.
void write_report_page(const ReportPageRequest& request);

}  // namespace starport
