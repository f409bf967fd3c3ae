// starport_selftest: draws random cases and checks that engines, validators, bounds and sweeps
// agree.
#include "sim/app/program.hpp"
#include "tests/selftest/random_cases.hpp"

int main(int argc, char** argv) {
  return starport::run_program(argc, argv, starport::self_test_program);
}
