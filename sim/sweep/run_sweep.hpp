// Running the instances of a specification into a result directory.
#pragma once

#include "sim/sweep/result_directory.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace starport {

/// How far a sweep is.
struct SweepState {
  std::int64_t done = 0;   ///< instances, those of earlier runs included
  std::int64_t total = 0;  ///< of the shard
  std::int64_t done_now = 0;
  std::int64_t failures = 0;  ///< rows whose status is error
};

struct SweepEngines {
  EngineKind engine = EngineKind::simgrid;
  SimulationLimits limits = {};  ///< of an algorithm on an instance
  /// The share of the instances, drawn by the seed, that is run on SimGrid too.
  double cross_check = 0;

  /// Whether that share has the instance: by the sweep's seed and its number alone.
  bool cross_checks(const Specification& specification, std::int64_t instance) const;
};

/// How the algorithms of an instance are run.
enum class RunMode {
  quick,    ///< in this process, by an engine that can
  isolated  ///< each in its own, where it may crash and has a time limit
};

/// Every algorithm on one instance. Input that turns out bad for this instance alone is the error
/// of all its rows.
Comparison run_instance(const SweepInstance& instance, const Models& models,
                        const SweepEngines& engines, RunMode mode);

/// The same of each of several instances, together where they are of one experiment without noise.
std::vector<Comparison> run_instances(std::span<const SweepInstance> instances,
                                      const Models& models, const SweepEngines& engines,
                                      RunMode mode);

/// Runs what is missing in the directory on `processes` processes, quickly; instances whose process
/// dies or takes too long again, isolated. `watch` is called several times a second; when it
/// returns false the sweep stops and can be resumed.
SweepState run_sweep(const Specification& specification, ResultDirectory& directory,
                     const SweepEngines& engines, int processes,
                     const std::function<bool(const SweepState&)>& watch);

}  // namespace starport
