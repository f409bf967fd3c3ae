// The self-test: what must agree is held together, on the instances of a specification.
#pragma once

#include "sim/sweep/result_directory.hpp"
#include "sim/sweep/specification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace starport {

/// What was held together.
struct SelfTestCounts {
  std::int64_t runs = 0;    ///< of an algorithm on an instance, by every engine that can
  std::int64_t sweeps = 0;  ///< cut, resumed and merged
};

/// The first thing that does not hold; empty: everything does. Of each algorithm on each instance:
/// both engines end alike, with the same figures and the same dates to a relative 1e-9; the
/// validator accepts both; a run in this process has the figures of one in its own, to the last
/// bit; the model finds no fault (Model::find_fault). Nothing fails but where workers stop.
std::string find_fault_in_runs(const Specification& specification, const Models& models,
                               SelfTestCounts& counts);

/// The same of its sweep: one that is cut after some instances, in the middle of a row, and
/// resumed, and one that is merged from two shards, have the bytes of one that ran to its end.
/// `directory`, which must not exist yet, gets all of them; where they are cut follows from the
/// specification.
std::string find_fault_in_sweep(const Specification& specification, const ModelRegistry& registry,
                                const std::string& simgrid_version,
                                const nlohmann::ordered_json& run, const std::string& directory,
                                SelfTestCounts& counts);

}  // namespace starport
