// starport plan: a heuristic's schedule, as a file.
#include "sim/cli/command.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/study/compare.hpp"

#include <fmt/format.h>

namespace starport {

int plan_command(const std::vector<std::string>& arguments) {
  CommandLine line("plan", {"PLATFORM"},
                   "Simulates one heuristic and saves the transfers it emitted as a schedule file.",
                   "starport plan platforms/ppopp08-memory.json --problem 8000x8000x64000 "
                   "--heuristic Het -o schedule.json");
  line.add_problem();
  line.add()("heuristic",
             boost::program_options::value<std::string>()->default_value("Het")->value_name("NAME"),
             "one heuristic, with parameters as Name[key=value]")(
      "output,o", boost::program_options::value<std::string>()->value_name("FILE"),
      "where to save the schedule");
  line.add_engine();
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;

  const auto heuristics = parse_heuristics(line.text("heuristic"), "--heuristic");
  if (heuristics.size() != 1) {
    throw InputError("--heuristic", "one heuristic", fmt::format("{}", heuristics.size()));
  }
  const auto path = line.find("output");
  if (!path) throw InputError("--output", "the file to save the schedule in", "nothing");
  const Instance instance = load_instance(line);
  const SimulationLimits limits = line.limits();
  check_instance(heuristics, instance, limits);
  OutputFile output(*path, "--output");

  Schedule schedule{.heuristic = heuristics.front().name,
                    .problem = instance.problem,
                    .platform = instance.platform,
                    .makespan_s = {},
                    .transfers = {}};
  const std::vector<Result> results = compare(
      heuristics, instance.platform, instance.problem, *line.engine(&instance.platform),
      [&](const std::string&, const Trace& trace) { schedule.transfers = transfers_of(trace); });
  const Result& result = results.front();
  if (result.status != Status::ok) {
    throw SimulationError(fmt::format("{}: {}", result.heuristic, result.error));
  }
  schedule.makespan_s = result.metrics.makespan_s;
  write_json(schedule, [&](std::string_view piece) { output.write(piece); });
  output.commit();
  print(fmt::format("{}: {} transfers, makespan {:.6g} s, {} of {} workers\n", *path,
                    schedule.transfers.size(), result.metrics.makespan_s,
                    result.metrics.enrolled_workers, instance.platform.workers.size()));
  return kSuccess;
}

}  // namespace starport
