// Cases that are drawn and tested.
#pragma once

#include "sim/sweep/specification.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

struct SelfTest {
  std::vector<std::string> command;  ///< as it was typed
  std::uint64_t seed = 1;
  std::int64_t cases = INT64_MAX;
  double seconds = 0;
  std::string directory;  ///< for the file of a case that fails
};

/// Draws cases until one fails, there are enough, or the time is over; tells what came of it.
/// Returns the exit status.
int self_test(const SelfTest& asked, const ModelRegistry& programs);

/// Runs the program with its command-line arguments. Returns the exit status; throws InputError for
/// arguments it does not know.
int self_test_program(const std::vector<std::string>& arguments);

}  // namespace starport
