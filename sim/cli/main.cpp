// The program: finds the sub-command.
#include "sim/app/command.hpp"
#include "sim/app/program.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/output.hpp"
#include "sim/process/simgrid_version.hpp"
#include "sim/process/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <vector>

namespace {

using namespace starport;

constexpr std::array<Command, 19> kCommands{{
    {"run", "simulate heuristics on a platform and compare them", run_command},
    {"list", "list the heuristics", list_command},
    {"explain", "explain the columns of results", explain_command},
    {"bound", "bounds on throughput, makespan and communication", bound_command},
    {"plan", "save the schedule of a heuristic", plan_command},
    {"replay", "run a saved schedule, on the same platform or another", replay_command},
    {"compare-runs", "where two schedules or traces part, and where their time goes",
     compare_runs_command},
    {"partition", "divide a product among processors of given speeds", partition_command},
    {"calibrate", "measure this machine and write its platform file", calibrate_elsewhere},
    {"validate", "check a file of any kind", validate_command},
    {"convert", "write a platform in SimGrid's format", convert_command},
    {"sweep", "run a campaign described in a JSON file", sweep_command},
    {"merge", "put the shards of a sweep together", merge_command},
    {"verify", "prove that results are as they were written", verify_command},
    {"report", "make an HTML page of the results of a sweep", report_command},
    {"plot", "draw a figure from results or a trace", plot_command},
    {"check", "check a paper's statements against results", check_command},
    {"fit", "find calibrations under which a paper's statements hold", fit_command},
    {"vary", "check statements over campaigns that differ a little", vary_command},
}};

constexpr const char* kPurpose =
    "Starport simulates schedules of matrix products on heterogeneous platforms and compares them.";
constexpr const char* kExample =
    "starport run platforms/ppopp08-memory.json --problem 8000x8000x64000";

std::string help() {
  std::string text =
      fmt::format("{}\n\nUsage: starport COMMAND [arguments]\n\nCommands:\n", kPurpose);
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<12} {}\n", command.name, command.summary);
  }
#ifdef STARPORT_HAS_MPI
  text +=
      "\nUnder mpirun, starport-mpi calibrates several machines and executes schedules for real.\n";
#else
  text +=
      "\nThis build has no starport-mpi, which executes schedules for real: cmake found no MPI "
      "(libopenmpi-dev,\nopenmpi-bin) or no BLAS (libopenblas-dev).\n";
#endif
  return text + fmt::format(
                    "\nstarport COMMAND --help explains a command. starport --version tells the "
                    "versions.\nExample:\n  {}\n",
                    kExample);
}

nlohmann::ordered_json description() {
  nlohmann::ordered_json json{{"purpose", kPurpose}, {"example", kExample}};
  for (const Command& command : kCommands) {
    json["commands"].push_back({{"name", command.name}, {"summary", command.summary}});
  }
  return json;
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    throw InputError("starport", "a command", "nothing", "starport --help lists them");
  }
  const std::string& name = arguments.front();
  const bool version = name == "--version" || name == "-V" || name == "version";
  const bool about = name == "--help" || name == "-h" || name == "help";
  if (name == "help" && arguments.size() == 2) {
    return find_named(kCommands, arguments[1], "help", "a command").run({"--help"});
  }
  if ((about || version) && arguments.size() > 1) {
    throw InputError("starport " + name, "nothing after it", "'" + arguments[1] + "'");
  }
  if (about) {
    print(help());
    return kSuccess;
  }
  if (name == kDescribe) {
    print(on_one_line(description()) + "\n");
    return kSuccess;
  }
  if (version) {
    print(fmt::format("starport {} ({}), SimGrid {}\n", kVersion, kCommit, simgrid_version()));
    return kSuccess;
  }
  if (name == "execute") {
    throw InputError("starport", "a command, which starport --help lists", "'execute'",
                     "starport-mpi execute");
  }
  return find_named(kCommands, name, "starport", "a command")
      .run({arguments.begin() + 1, arguments.end()});
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, dispatch); }
