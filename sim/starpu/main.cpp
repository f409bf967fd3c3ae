// starport-starpu: executes tile tasks with StarPU on this machine, and measures it.
#include "sim/app/program.hpp"
#include "sim/starpu/commands.hpp"

#include <string>
#include <vector>

namespace {

using namespace starport;

constexpr const char* kPurpose =
    "Multiplies matrices with StarPU on the CPUs and devices of this machine.";
constexpr const char* kExample =
    "starport-starpu calibrate -o node.json\n"
    "  starport-starpu execute node.json --problem 2880 --heuristics EffectiveSteal,starpu:dmdar";

int run(const std::vector<std::string>& arguments) {
  return dispatch_command(
      {.name = "starport-starpu",
       .launcher = "",
       .purpose = kPurpose,
       .example = kExample,
       .groups = {{"Commands:",
                   {{"calibrate", "measure this machine, and write a platform file",
                     starpu::calibrate_command},
                    {"execute", "run a product and compare it with the prediction",
                     starpu::execute_command}}}}},
      arguments);
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, run); }
