// `starport report`: writes a sweep's results, or the runs of a trace, as one HTML page.
#include "sim/app/algorithms.hpp"
#include "sim/app/report_page.hpp"
#include "sim/cli/commands.hpp"

namespace starport {

int report_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "report", {"DIR"},
      "Makes one HTML page of a sweep's result directory: sortable tables, figures, a Gantt chart\n"
      "of any run, platforms and provenance. It needs no network and no other file.\n"
      "Results keep no transfers, so the runs for the Gantt chart are simulated again, by the "
      "same\n"
      "version and on the same engine as the sweep's. DIR may also be a trace, a file that ends in "
      ".csv:\nits runs, simulated or real, are shown as they are.",
      "starport report /tmp/ppopp08 -o report.html\n"
      "starport report run.csv -o run.html");
  line.add("output,o", "FILE", "the HTML file to write")
      .add("runs", "RUNS",
           "runs that get a Gantt chart: all, best (the fastest of each instance), none, instances "
           "such as 3,7-9, or auto (as many as fit in 20 MB, the fastest first)",
           "auto");
  add_plugin_option(line);
  line.add_jobs("runs");
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);

  write_report_page({.source = line.text("DIR"),
                     .output = line.required("output", "the file of the page to write"),
                     .runs = line.text("runs"),
                     .jobs = line.jobs(),
                     .time_limit_s = line.limits().time_limit_s});
  return kSuccess;
}

}  // namespace starport
