// starport run: simulate heuristics on an instance and compare them.
#include "sim/cli/command.hpp"
#include "sim/cli/result_output.hpp"
#include "sim/files/error.hpp"
#include "sim/study/compare.hpp"

#include <algorithm>
#include <optional>

namespace starport {

namespace {

RepeatedNoise repeated_noise(const CommandLine& line, const Platform& platform) {
  constexpr std::int64_t most_repetitions = 100'000;
  RepeatedNoise repeated{
      .noise = line.noise(platform),
      .repetitions = line.integer("repetitions", 1, most_repetitions).value_or(1)};
  if (repeated.repetitions > 1 && repeated.noise.none()) {
    throw InputError("--repetitions", "--noise: without, all repetitions are the same",
                     std::to_string(repeated.repetitions) + " and no noise");
  }
  return repeated;
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  CommandLine line("run", {"PLATFORM"},
                   "Simulates scheduling heuristics on a star platform and compares them.",
                   "starport run platforms/ppopp08-memory.json --problem 8000x8000x64000 "
                   "--heuristics Het,ODDOML");
  line.add_problem();
  line.add()("heuristics",
             boost::program_options::value<std::string>()->default_value("all")->value_name("LIST"),
             "names separated by commas, with parameters as Name[key=value]; all: the seven of "
             "PPoPP'08; all+: every one (see starport list), of which those that no worker has the "
             "memory for are told and left out");
  line.add_output_formats();
  line.add_engine();
  line.add_noise();
  line.add()("repetitions", boost::program_options::value<std::string>()->value_name("N"),
             "run each heuristic N times under --noise, with other factors each time but the same "
             "for every heuristic: mean, median, 95% interval, which differences are within noise; "
             "--trace gets the first (default: 1)");
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;

  const auto heuristics = parse_heuristics(line.text("heuristics"));
  const Instance instance = load_instance(line);
  const SimulationLimits limits = line.limits();
  check_instance(heuristics, instance, limits);
  const auto engine = line.engine(&instance.platform);
  const RepeatedNoise noise = repeated_noise(line, instance.platform);
  ResultOutput output(line, instance, *engine, noise.noise);
  output.add(compare(
      heuristics, instance.platform, instance.problem, *engine,
      [&](const std::string& name, const Trace& trace) { output.trace(name, trace); }, noise));
  return output.finish();
}

}  // namespace starport
