// starport-calibrate, which `starport calibrate` becomes.
#include "sim/cli/command.hpp"
#include "sim/cli/program.hpp"

int main(int argc, char** argv) {
  return starport::run_program(argc, argv, starport::calibrate_command);
}
