// Consistency checks on the instances of a specification: engines, validators, bounds and sweeps
// must agree.
#pragma once

#include "sim/sweep/result_directory.hpp"
#include "sim/sweep/specification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace starport {

/// The numbers of checks done.
struct CheckCounts {
  std::int64_t runs = 0;    ///< pairs of an algorithm and an instance, each on all engines
  std::int64_t sweeps = 0;  ///< specifications swept with an interruption and in shards
};

/// Checks each algorithm on each instance and returns a description of the first fault, or an empty
/// string. Both engines must end with the same status, and with figures and dates that agree to a
/// relative 1e-9; the validator must accept both traces; a run in the calling process must equal
/// one in a child process to the last bit; Trials::find_fault must find nothing. Only runs in which
/// workers stop may fail.
std::string find_fault_in_runs(const Specification& specification, const Models& models,
                               CheckCounts& counts);

/// Runs a sweep of the specification without interruption, then one that is cut in the middle of a
/// row and resumed, then one in two shards that are merged; their files must be equal. Creates
/// `directory`, which must not exist, for all of them. The random choices follow from the
/// specification. Returns a description of the first fault, or an empty string.
std::string find_fault_in_sweep(const Specification& specification, const ModelRegistry& registry,
                                const std::string& simgrid_version,
                                const nlohmann::ordered_json& run, const std::string& directory,
                                CheckCounts& counts);

}  // namespace starport
