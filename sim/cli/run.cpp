// `starport run`: simulates heuristics on an instance and compares them.
#include "sim/app/algorithms.hpp"
#include "sim/app/model_registry.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/result_output.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/uncertainty.hpp"
#include "sim/results/comparison.hpp"

namespace starport {

namespace {

std::int64_t repetitions_of(const CommandLine& line, const Noise& noise) {
  constexpr std::int64_t most = 100'000;
  const std::int64_t repetitions = line.integer("repetitions", 1, most).value_or(1);
  if (repetitions > 1 && noise.is_none()) {
    throw InputError::with_problem("--repetitions", "without noise all repetitions are the same",
                                   "Give --noise too");
  }
  return repetitions;
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  CommandLine line("run", {"PLATFORM"},
                   "Simulates schedules of a matrix product on a platform and compares them.",
                   "starport run platforms/ppopp08-memory.json --problem 8000x8000x64000 "
                   "--heuristics Het,ODDOML");
  line.add_problem();
  line.add("heuristics", "LIST",
           "names with parameters, or groups, separated by commas (default: what suits the "
           "platform); see starport list, and starport list exec for the limits of programs");
  add_plugin_option(line);
  line.add_output_formats();
  line.add_engine();
  line.add_noise();
  line.add("repetitions", "N",
           "with --noise: run each heuristic N times with different factors (default: 1)");
  line.add("draws", "N",
           "on a measured platform: repeat the comparison on N platforms drawn from the confidence "
           "intervals of its figures; 0: do not (default: 100)");
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;
  load_plugins(line);

  const Case instance = load_case(line);
  RunOptions options{.engine = line.engine(), .limits = line.limits()};
  options.noise = line.noise(instance.file);
  const auto algorithms = read_algorithms(
      line.find("heuristics").value_or(suitable_algorithms(instance, options)), "--heuristics");
  const std::int64_t repetitions = repetitions_of(line, options.noise);
  const std::int64_t draws = line.integer("draws", 0, 100'000).value_or(100);
  if (line.has("draws") && draws > 0 &&
      estimate_uncertainty(instance.file, instance.problem.block_size).empty()) {
    throw InputError::with_problem("--draws",
                                   "the platform has no confidence intervals to draw from",
                                   "Calibrate it, or leave the option out");
  }
  check(algorithms, instance, model_registry().models, options);
  ResultOutput output(line);
  output.prepare(options);
  Comparison comparison =
      compare(algorithms, instance, model_registry().models, options, repetitions);
  if (!line.has("csv")) {
    comparison.ranking_confidence =
        estimate_ranking_confidence(comparison, algorithms, options, draws);
    if (line.has("draws") && draws > 0 && !comparison.ranking_confidence) {
      print_notice(
          "no platforms were drawn: fewer than two of the algorithms that ran can be simulated "
          "with durations that vary on this platform");
    }
  }
  return output.finish(std::move(comparison));
}

}  // namespace starport
