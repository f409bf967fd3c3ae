// Running the instances of a specification into a result directory.
#pragma once

#include "sim/star/engine/engine.hpp"
#include "sim/study/result_directory.hpp"

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

/// A second engine that a seeded share of the instances is run on too.
struct CrossCheck {
  double fraction = 0;
  const Engine* reference = nullptr;

  /// Whether the sample has the instance: by the sweep's seed and its number alone.
  bool has(const Specification& specification, std::int64_t instance) const;
};

struct SweepEngines {
  const Engine& engine;
  CrossCheck cross_check = {};
  double time_limit_s = 0;  ///< of a heuristic on an instance; 0: none
};

/// How the heuristics of an instance are run.
enum class RunMode {
  quick,    ///< in this process, by an engine that can
  isolated  ///< each in its own, where it may crash and has a time limit
};

/// Every heuristic on one instance. Input that turns out bad for this instance alone is the error
/// of all its rows.
Comparison run_instance(const SweepInstance& instance, const Engine& engine, RunMode mode);

/// Runs what is missing in the directory on `processes` processes, quickly; instances whose process
/// dies or takes too long again, isolated. `watch` is called several times a second; when it
/// returns false the sweep stops and can be resumed.
SweepState run_sweep(const Specification& specification, ResultDirectory& directory,
                     const SweepEngines& engines, int processes,
                     const std::function<bool(const SweepState&)>& watch);

}  // namespace starport
