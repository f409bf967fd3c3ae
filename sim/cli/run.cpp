// starport run: simulate heuristics on an instance and compare them.
#include "sim/cli/command.hpp"
#include "sim/cli/result_output.hpp"
#include "sim/model/error.hpp"
#include "sim/sweep/compare.hpp"

#include <algorithm>
#include <optional>

namespace starport {

int run_command(const std::vector<std::string>& arguments) {
  CommandLine line("run", {"PLATFORM"},
                   "Simulates scheduling heuristics on a star platform and compares them.",
                   "starport run platforms/ppopp08-memory.json --problem 8000x8000x64000 "
                   "--heuristics Het,ODDOML");
  line.add_problem();
  line.add()("heuristics",
             boost::program_options::value<std::string>()->default_value("all")->value_name("LIST"),
             "names separated by commas, with parameters as Name[key=value]; all: the seven of "
             "PPoPP'08; all+: every one (see starport list)");
  line.add_output_formats();
  line.add_engine();
  line.add_time_limit();
  if (!line.parse(arguments)) return kSuccess;

  const auto heuristics = parse_heuristics(line.text("heuristics"));
  const Instance instance = load_instance(line);
  const SimulationLimits limits = line.limits();
  check_instance(heuristics, instance, limits);
  const auto engine = line.engine(&instance.platform);
  ResultOutput output(line, instance, *engine);
  output.add(
      compare(heuristics, instance.platform, instance.problem, *engine,
              [&](const std::string& name, const Trace& trace) { output.trace(name, trace); }));
  return output.finish();
}

}  // namespace starport
