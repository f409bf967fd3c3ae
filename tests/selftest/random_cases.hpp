// The self-test: draws random cases of all models and checks their consistency.
#pragma once

#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// Settings of a self-test.
struct SelfTest {
  std::vector<std::string> command;  ///< argv, recorded in the results of the sweeps
  std::uint64_t seed = 1;            ///< determines all cases
  std::int64_t cases = INT64_MAX;    ///< largest number of cases
  double seconds = 0;                ///< no case starts later than this
  std::string directory;             ///< where a failing case is saved
};

/// Returns the specification of random case `number` of a seed: a trial of one of the models with
/// an axis. Models take turns.
std::string draw_case(std::uint64_t seed, std::int64_t number, const Models& models);

/// Draws and checks cases until one fails, or the number of cases or the time is reached. Prints
/// the outcome. Saves a failing case as a specification that `--repeat` accepts. Returns the exit
/// status.
int self_test(const SelfTest& settings, const ModelRegistry& registry);

/// Runs the program starport_selftest with its arguments (without argv[0]). Returns the exit
/// status. Throws InputError for invalid arguments.
int self_test_program(const std::vector<std::string>& arguments);

}  // namespace starport
