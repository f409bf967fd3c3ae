// `starport replay`: runs a saved schedule on a platform.
#include "sim/app/check_schedule.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/result_output.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/noise/noise_json.hpp"
#include "sim/platform/ties.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"

#include <fmt/format.h>

namespace starport {
namespace {

Schedule schedule_of(const std::string& path) {
  try {
    return load_schedule(path);
  } catch (InputError& error) {
    if (error.found == "a platform") {
      error.hint = "it comes first: starport replay PLATFORM SCHEDULE";
    }
    throw error.in_file(error.file);
  }
}

}  // namespace

int replay_command(const std::vector<std::string>& arguments) {
  CommandLine line(
      "replay", {"PLATFORM", "SCHEDULE"},
      "Runs the transfers of a schedule file on a platform, the one it was planned for or another.",
      "starport replay slower-link.json schedule.json");
  line.add_output_formats();
  line.add_engine();
  line.add_noise();
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;

  const std::string path = line.text("SCHEDULE");
  const Schedule schedule = schedule_of(path);
  const PlatformFile file =
      with_element_type(load_platform(line.text("PLATFORM")), schedule.element_type);
  const Case instance{file, schedule.problem};
  const Platform platform = make_star(instance);
  const Metrics planned = check_schedule(schedule, schedule.platform, path);
  check_makespan(schedule, planned, path);
  check_schedule(schedule, platform, path);

  RunOptions options{
      .engine = line.engine(), .limits = line.limits(), .noise = line.noise(instance.file)};
  const RunOptions limited = options;  // for the bounds
  // The check above simulated the same transfers in this process, so isolation would add nothing.
  options.isolated = options.engine != EngineKind::analytic || !options.noise.is_none();
  const StarModel& star = star_model();
  if (const auto obstacle = star.find_obstacle(instance, options)) throw InputError(*obstacle);
  ResultOutput output(line);
  output.prepare(options);
  const std::string name = schedule.heuristic.empty() ? path : schedule.heuristic;
  const TransferList list(schedule.transfers);
  Comparison comparison{.instance = instance,
                        .engine = options.engine,
                        .noise = to_text(options.noise),
                        .models = {&star}};
  add_bounds(comparison, star, limited);
  // A run whose transfers are consumed is inspected, which tells whether it is C-stationary.
  const TransferConsumer ignore = [](const TracedTransfer&) {};
  const auto planner = [&] { return make_list_plan(list); };
  Record& record = comparison.records.emplace_back(
      options.on_timeline ? star.simulate(name, planner, instance, options)
                          : star.simulate(name, planner, instance, options, ignore));
  record.figures.set(kDecision, 0.0);  // the schedule was made before
  if (record.status == Status::ok) {
    const double makespan_s = record.figures.real(kMakespan);
    output.remark(fmt::format(
        "\nplanned for {} in {:.6g} s; here {}", schedule.platform.name, planned.makespan_s,
        nearly_equal(makespan_s, planned.makespan_s)
            ? "the same"
            : fmt::format("{:.4g} times that", makespan_s / planned.makespan_s)));
  }
  compute_relative_figures(comparison);
  return output.finish(std::move(comparison));
}

}  // namespace starport
