// `starport compare-runs`: compares two schedules or traces on one time axis.
#include "sim/app/check_schedule.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/report/plots/gantt.hpp"
#include "sim/report/run_difference.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/star_timeline.hpp"
#include "sim/star/trace.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace starport {
namespace {

/// Loads a schedule and simulates it on the platform it was planned for. Throws InputError if it is
/// not valid.
Timeline timeline_of_schedule(const std::string& path) {
  const Schedule schedule = load_schedule(path);
  check_makespan(schedule, check_schedule(schedule, schedule.platform, path), path);
  const Trace trace = replay(schedule.platform, schedule.problem, schedule.transfers);
  return star_timeline({.heuristic = schedule.heuristic.empty() ? path : schedule.heuristic,
                        .platform = schedule.platform,
                        .trace = trace,
                        .held = {},
                        .bound_s = {}});
}

Timeline timeline_of(const std::string& path, const std::optional<std::string>& heuristic,
                     const char* option) {
  if (path.ends_with(".csv")) {
    try {
      return read_trace(path, heuristic, TraceDetail::labels);
    } catch (InputError& error) {
      if (error.place == "--heuristics") error.place = option;
      throw error.in_file(path);
    }
  }
  if (heuristic) throw InputError(option, "a trace that holds several heuristics", "a schedule");
  return timeline_of_schedule(path);
}

}  // namespace

int compare_runs_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "compare-runs", {"A", "B"},
      "Sets two runs side by side: schedules, as starport plan writes them, or traces, as --trace "
      "FILE.csv\nwrites them. Tells the first step that differs, and where the time goes.",
      "starport compare-runs trace.csv trace.csv --first Het --second ODDOML -o both.svg");
  line.add("first", "NAME", "heuristic of run A, if that trace holds several")
      .add("second", "NAME", "heuristic of run B, if that trace holds several")
      .add("output,o", "FILE",
           "also draw both runs, worker by worker: .svg, .pdf, .png, .csv or .py")
      .add("from", "SECONDS", "draw from this date")
      .add("to", "SECONDS", "draw until this date")
      .add_flag("json", "print one JSON object");
  if (!line.parse(arguments)) return kSuccess;
  const auto output = line.find("output");
  for (const char* option : {"from", "to"}) {
    if (line.has(option) && !output) {
      throw InputError::with_problem(std::string("--") + option, "it applies to the drawing only",
                                     "Give --output too");
    }
  }
  const Timeline a = timeline_of(line.text("A"), line.find("first"), "--first");
  const Timeline b = timeline_of(line.text("B"), line.find("second"), "--second");
  if (output) {
    draw_two_runs(a, b, *output, "--output", line.find("from"), line.find("to"));
  }
  const RunDifference difference = find_run_difference(a, b);
  print(line.has("json") ? to_indented_json(to_json(a, b, difference))
                         : to_table(a, b, difference));
  return kSuccess;
}

}  // namespace starport
