// starport plan: a heuristic's schedule, as a file.
#include "sim/cli/command.hpp"
#include "sim/cli/known.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/study/common_figures.hpp"
#include "sim/study/comparison.hpp"

#include <fmt/format.h>

namespace starport {

int plan_command(const std::vector<std::string>& arguments) {
  CommandLine line("plan", {"PLATFORM"},
                   "Simulates one heuristic and saves the transfers it emitted as a schedule file.",
                   "starport plan platforms/ppopp08-memory.json --problem 8000x8000x64000 "
                   "--heuristic Het -o schedule.json");
  line.add_problem();
  line.add("heuristic", "NAME", "one heuristic, with parameters as Name[key=value]", "Het")
      .add("output,o", "FILE", "where to save the schedule");
  line.add_engine();
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;

  const auto algorithms = known().read_algorithms(line.text("heuristic"), "--heuristic");
  if (algorithms.size() != 1) {
    throw InputError("--heuristic", "one heuristic", fmt::format("{}", algorithms.size()));
  }
  const NamedAlgorithm& named = algorithms.front();
  if (named.algorithm->model() != star_model().name()) {
    throw InputError("--heuristic", "a heuristic for the star, whose schedules can be saved",
                     "'" + named.name + "'");
  }
  const std::string path = line.required("output", "the file to save the schedule in");
  const Case instance = load_case(line);
  const RunOptions options{.engine = line.engine(), .limits = line.limits()};
  check(algorithms, instance, known().models, options);
  OutputFile output(path, "--output");

  Schedule schedule{
      .heuristic = named.name, .problem = instance.problem, .platform = instance.platform};
  const Record record = star_model().simulate(
      named.name, planner_of(named, instance.platform, instance.problem), instance, options,
      [&](const Trace& trace) { schedule.transfers = transfers_of(trace); });
  if (record.status != Status::ok) {
    throw SimulationError(fmt::format("{}: {}", record.algorithm, record.error));
  }
  schedule.makespan_s = record.figures.real(kMakespan);
  write_json(schedule, [&](std::string_view piece) { output.write(piece); });
  output.commit();
  print(fmt::format("{}: {} transfers, makespan {:.6g} s, {} of {} workers\n", path,
                    schedule.transfers.size(), *schedule.makespan_s,
                    in_full(record.figures[kEnrolledWorkers]), instance.platform.workers.size()));
  return kSuccess;
}

}  // namespace starport
