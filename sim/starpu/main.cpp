// starport-starpu: executes tile tasks with StarPU on this machine, and measures it.
#include "sim/app/command_line.hpp"
#include "sim/app/program.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/files/output.hpp"
#include "sim/process/version.hpp"
#include "sim/starpu/commands.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <string>
#include <vector>

namespace {

using namespace starport;

constexpr const char* kPurpose =
    "Multiplies matrices with StarPU on the CPUs and devices of this machine.";
constexpr const char* kExample =
    "starport-starpu calibrate -o node.json\n"
    "  starport-starpu execute node.json --problem 2880 --heuristics EffectiveSteal,starpu:dmdar";

struct Command {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>& arguments);
};
constexpr Command kCommands[] = {
    {"calibrate", "measure this machine, and write a platform file", starpu::calibrate_command},
    {"execute", "run a product and compare it with the prediction", starpu::execute_command}};

std::string help() {
  std::string text =
      fmt::format("{}\n\nUsage: starport-starpu COMMAND [arguments]\n\nCommands:\n", kPurpose);
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  }
  return text + fmt::format(
                    "\nSee 'starport-starpu COMMAND --help' for the options of a command.\n"
                    "Example:\n  {}\n",
                    kExample);
}

nlohmann::ordered_json description() {
  nlohmann::ordered_json json{{"purpose", kPurpose}, {"example", kExample}};
  for (const Command& command : kCommands) {
    json["commands"].push_back({{"name", command.name}, {"summary", command.summary}});
  }
  return json;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    static_cast<void>(write_all(STDERR_FILENO, help()));
    return kBadInput;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h") {
    print(help());
    return kSuccess;
  }
  if (name == kDescribe) {
    print(to_json_line(description()) + "\n");
    return kSuccess;
  }
  if (name == "--version") {
    print(fmt::format("starport-starpu {} ({})\n", kVersion, kCommit));
    return kSuccess;
  }
  return find_named(kCommands, name, "starport-starpu", "a command")
      .run({arguments.begin() + 1, arguments.end()});
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, run); }
