// Runs starport-mpi.
#pragma once

#include "tests/support.hpp"

#include <string>
#include <vector>

namespace starport::test {

/// A platform of two workers for blocks of 4 x 4. An emulated run of 15x12x22 takes 0.2 s.
inline constexpr const char* kTwoWorkers =
    R"({"schema_version": 1, "name": "two", "block_size": 4, "workers": [
        {"c_s": 0.0002, "w_s": 0.0004, "m_blocks": 12},
        {"c_s": 0.0004, "w_s": 0.0006, "m_blocks": 21}]})";

/// The start of a shell command with mpirun: sets it up to run as any user, on any number of cores.
extern const std::string kMpiEnvironment;

/// Ends a command that hangs, long after it should have ended on a busy machine; before mpirun.
extern const std::string kGuard;

/// Runs starport-mpi, with mpirun if there are several ranks.
Outcome mpi(int ranks, const std::string& arguments);

/// Returns the content of a raw file of doubles.
std::string raw(const std::vector<double>& values);

/// Returns how often `part` occurs in `text`.
std::size_t count(const std::string& text, const std::string& part);

}  // namespace starport::test
