// Running starport-mpi.
#pragma once

#include "tests/support.hpp"

#include <string>
#include <vector>

namespace starport::test {

/// Two workers for blocks of 4 x 4; an emulated run of 15x12x22 takes 0.2 s.
inline constexpr const char* kTwoWorkers =
    R"({"schema_version": 1, "name": "two", "block_size": 4, "workers": [
        {"c_s": 0.0002, "w_s": 0.0004, "m_blocks": 12},
        {"c_s": 0.0004, "w_s": 0.0006, "m_blocks": 21}]})";

/// Shell words before mpirun: on a machine of any number of cores, as root too.
extern const std::string kMpiEnvironment;

/// starport-mpi under mpirun; one rank needs no mpirun.
Outcome mpi(int ranks, const std::string& arguments);

/// What a raw file of doubles holds.
std::string raw(const std::vector<double>& values);

std::size_t count(const std::string& text, const std::string& part);

}  // namespace starport::test
