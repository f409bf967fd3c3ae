// Running the instances of a specification into a result directory.
#pragma once

#include "sim/engine/engine.hpp"
#include "sim/sweep/result_directory.hpp"

#include <cstdint>
#include <functional>

namespace starport {

/// How far a sweep is.
struct SweepState {
  std::int64_t done = 0;   ///< instances, those of earlier runs included
  std::int64_t total = 0;  ///< of the shard
  std::int64_t done_now = 0;
  std::int64_t failures = 0;  ///< rows whose status is error
};

/// Every heuristic on one instance. Input that turns out bad for this instance alone is the error
/// of all its rows.
Comparison run_instance(const SweepInstance& instance, const Engine& engine);

/// Runs what is missing in the directory on `processes` processes. `watch` is called several
/// times a second; when it returns false the sweep stops and can be resumed.
SweepState run_sweep(const Specification& specification, ResultDirectory& directory,
                     const Engine& engine, int processes,
                     const std::function<bool(const SweepState&)>& watch);

}  // namespace starport
