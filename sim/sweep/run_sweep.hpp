// Runs the instances of a specification and writes their results to a directory.
#pragma once

#include "sim/sweep/result_directory.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace starport {

/// The progress of a sweep.
struct SweepProgress {
  std::int64_t done = 0;      ///< instances with results, including those of earlier runs
  std::int64_t total = 0;     ///< instances of the shard
  std::int64_t done_now = 0;  ///< instances done by this run
  std::int64_t failures = 0;  ///< rows with the status `error`
};

/// Settings for simulating the instances of a sweep.
struct SweepOptions {
  EngineKind engine = EngineKind::simgrid;
  SimulationLimits limits = {};  ///< of each run
  /// Fraction (0 to 1) of the instances, chosen at random, that are also simulated on SimGrid and
  /// compared.
  double cross_check = 0;

  /// Returns whether an instance is cross-checked. This depends only on the seed of the
  /// specification and on the instance number.
  bool is_cross_checked(const Specification& specification, std::int64_t instance) const;
};

/// The process in which the algorithms of an instance are run.
enum class RunMode {
  in_process,  ///< the calling process, when the engine supports it
  isolated     ///< a process for each run, which may crash and has a time limit
};

/// Runs every algorithm of the experiment on one instance. An error in the input of the instance
/// (a figure out of range, for example) becomes the error of all its records.
Comparison run_instance(const SweepInstance& instance, const Models& models,
                        const SweepOptions& options, RunMode mode);

/// Runs every algorithm on each instance and returns one comparison per instance. Instances of one
/// experiment without noise are planned in batches, which is faster and gives the same results.
std::vector<Comparison> run_instances(std::span<const SweepInstance> instances,
                                      const Models& models, const SweepOptions& options,
                                      RunMode mode);

/// Runs the instances that are missing in `directory` on `processes` child processes. An instance
/// whose process dies or exceeds its time limit is run again with RunMode::isolated. Calls
/// `on_progress` several times a second; when that returns false, the sweep stops and can be
/// resumed later. Returns the final progress.
SweepProgress run_sweep(const Specification& specification, ResultDirectory& directory,
                        const SweepOptions& options, int processes,
                        const std::function<bool(const SweepProgress&)>& on_progress);

}  // namespace starport
