// starport replay: what a schedule costs, on its platform or another.
#include "sim/cli/check_schedule.hpp"
#include "sim/cli/command.hpp"
#include "sim/cli/result_output.hpp"
#include "sim/files/error.hpp"
#include "sim/study/compare.hpp"

#include <fmt/format.h>

namespace starport {

int replay_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "replay", {"PLATFORM", "SCHEDULE"},
      "Runs the transfers of a schedule file on a platform, the one it was planned for "
      "or another.",
      "starport replay slower-link.json schedule.json");
  line.add_output_formats();
  line.add_engine();
  line.add_noise();
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;

  const std::string path = line.text("SCHEDULE");
  const Schedule schedule = load_schedule(path);
  const PlatformFile file = load_platform(line.text("PLATFORM"));
  const Instance instance{.platform = file.at_block_size(schedule.problem.block_size),
                          .problem = schedule.problem,
                          .platform_file = file.path};
  const Metrics planned = check_schedule(schedule, schedule.platform, path);
  check_makespan(schedule, planned, path);
  check_schedule(schedule, instance.platform, path);

  const auto engine = line.engine(&instance.platform);
  const Noise noise = line.noise(instance.platform);
  ResultOutput output(line, instance, *engine, noise);
  const std::string name = schedule.heuristic.empty() ? path : schedule.heuristic;
  const TransferList list(schedule.transfers);
  Result result = simulate_row(
      name, instance.platform, instance.problem, [&] { return list_plan(list); }, *engine,
      [&](const Trace& trace) { output.trace(name, trace); }, noise);
  result.decision_s = 0;  // the schedule was made before
  if (result.status == Status::ok) {
    output.remark(fmt::format("\nplanned for {} in {:.6g} s; here {:.4g} times that",
                              schedule.platform.name, planned.makespan_s,
                              result.metrics.makespan_s / planned.makespan_s));
  }
  output.add({result});
  return output.finish();
}

}  // namespace starport
