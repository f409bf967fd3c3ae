// Runs the instances of a specification and writes their results to a directory.
#pragma once

#include "sim/sweep/result_directory.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace starport {

/// The progress of a sweep on one shard (its part of the instances): numbers of instances and of
/// failed rows. Passed to the callback of run_sweep().
struct SweepProgress {
  /// Number of instances of the shard that have results, also of earlier runs of the sweep unless
  /// the machine failed on them then (out of time or memory, killed): these are run again.
  std::int64_t done = 0;
  /// Number of instances of the shard (the part of the sweep that is run here), with or without
  /// results.
  std::int64_t total = 0;
  /// Number of instances for which this call of run_sweep() has written results.
  std::int64_t done_now = 0;
  /// Number of rows of results (one per instance and algorithm) with the status error (failed
  /// runs), of the instances that `done` counts.
  std::int64_t failures = 0;
};

/// Settings for simulating the instances of a sweep: the engine, the limits on time and memory of
/// each run, and the share of the instances to cross-check, i.e. to simulate on SimGrid, too. The
/// default is SimGrid without limits and cross-checks. Refers to nothing.
struct SweepOptions {
  /// Engine of every run (one algorithm on one instance): `simgrid`, the reference, or `analytic`,
  /// the simulation model's own code, which is much faster.
  EngineKind engine = EngineKind::simgrid;
  /// Limits on the wall-clock time (s) and the memory for the trace (bytes) of each run (one
  /// algorithm on one instance); none by default. A run that exceeds one gets the status error;
  /// SimulationLimits names runs on which a limit is not enforced.
  SimulationLimits limits = {};
  /// Fraction (0 to 1) of the instances, chosen at random, whose successful runs run_sweep() and
  /// run_rows() repeat on SimGrid; 0 or less: none. Runs whose simulated dates then differ by more
  /// than rounding errors, or that fail on SimGrid, get the status error.
  double cross_check = 0;
  /// Wall-clock time in seconds that the process of one instance may spend on bounds and other work
  /// beside the runs. The process is killed (see run_rows()) after this time plus (1 + 8 n) times
  /// `limits.time_limit_s`, n being the largest number of algorithms of an experiment. Counts only
  /// if `limits` has a time limit, and only on SimGrid or where the instance is run again with
  /// RunMode::isolated.
  double rest_s = 60;

  /// Returns true if run_sweep() and run_rows() cross-check the instance with this number (from 1),
  /// that is, also simulate it on SimGrid. Depends only on `cross_check`, the seed of the sweep's
  /// specification and the number; false for all instances when `cross_check` is 0, true for all
  /// when it is 1.
  bool is_cross_checked(const Specification& specification, std::int64_t instance) const;
};

/// Process in which run_instance() and run_instances() run the algorithms: the calling process,
/// where the engine and the algorithm allow it, or a child process for each run.
enum class RunMode {
  in_process,  ///< the calling process, when the engine supports it
  isolated     ///< a process for each run, which may crash and has a time limit
};

/// Simulates every algorithm of the instance's experiment on it and returns their records
/// (results), in the order of the algorithms. Blocks until all have ended. `models` must contain
/// the simulation models of the algorithms and outlive the result; the instance's experiment must
/// still exist. Does not throw: failed runs become records with status error. An error in the input
/// of the instance (a figure out of range, a model that is lacking) becomes the error of all
/// records, and the comparison then has neither models nor bounds. Ignores `options.cross_check`.
/// Call it from a process with one thread: it forks with RunMode::isolated, on SimGrid and for
/// algorithms that are not built in.
Comparison run_instance(const SweepInstance& instance, const Models& models,
                        const SweepOptions& options, RunMode mode);

/// Simulates on each instance every algorithm of its experiment and returns one comparison (the
/// results of all algorithms) per instance, in the order of `instances`, which may be empty. Blocks
/// until all have ended. If all instances belong to one experiment and have no noise, they are
/// planned in batches, which is faster and gives the same results (apart from wall-clock times).
/// `models` must contain the simulation models of the algorithms and outlive the result. Does not
/// throw: failed runs become records with status error, as do all records of an instance with an
/// error in its input. Ignores `options.cross_check`. Call it from a process with one thread: it
/// forks with RunMode::isolated, on SimGrid and for algorithms that are not built in.
std::vector<Comparison> run_instances(std::span<const SweepInstance> instances,
                                      const Models& models, const SweepOptions& options,
                                      RunMode mode);

/// The results of one instance of a sweep as text, made by run_rows(): the lines for results.csv
/// and for timings.csv, and the number of failed runs. Owns its texts.
struct InstanceRows {
  /// Number of the instance in its sweep, from 1.
  std::int64_t number = 1;
  /// Number of rows of the instance with the status error (failed runs).
  std::int64_t failures = 0;
  /// Lines of results.csv, one per algorithm, each with its line end CR LF.
  std::string rows = {};
  /// Lines of timings.csv (wall-clock times in seconds), one per algorithm, each with its line end
  /// CR LF.
  std::string timings = {};
};

/// Simulates the instances with these numbers (from 1 to the size of the specification, not
/// checked) on `processes` child processes (fewer than 1 count as 1), with cross-checks
/// (SweepOptions::cross_check), and passes the rows of each to `on_rows` (not empty) in this
/// process, in any order. Blocks until all have ended. An instance whose process dies or exceeds
/// the time limit that follows from `options.limits` is run again with RunMode::isolated, where
/// only the run at fault becomes an error; if its process is lost again, all its rows get the
/// status error. Calls `should_continue` (not empty) several times a second. When it returns false,
/// the instances under way are abandoned without rows; it must return false from then on. Throws
/// what the two functions throw, MachineError when no process can be created, SimulationError when
/// processes keep dying before they have an instance or cannot share memory, and InputError when an
/// instance that was lost twice cannot be made (Specification::instance()). Call it from a process
/// with one thread, since it forks.
void run_rows(const Specification& specification, const std::vector<std::int64_t>& instances,
              const SweepOptions& options, int processes,
              const std::function<void(const InstanceRows&)>& on_rows,
              const std::function<bool()>& should_continue);

/// Simulates the instances that are missing in `directory` on `processes` child processes (fewer
/// than 1 count as 1) and appends their rows. Blocks until all have ended; call directory.finish()
/// afterwards, unless it was complete before. `directory` must have been opened for `specification`
/// and the engine of `options` (not checked); nothing is run if it is complete. An instance whose
/// process dies or exceeds the time limit that follows from `options.limits` is run again with
/// RunMode::isolated, where only the run at fault becomes an error; if its process is lost again,
/// all its rows get the status error. Calls `on_progress` (not empty) in this process several times
/// a second. When it returns false, the sweep stops, abandons the instances under way and can be
/// resumed later; it must return false from then on. Returns the final progress. Call it from a
/// process with one thread, since it forks. Throws what `on_progress` throws, InputError when rows
/// cannot be written or, after all others have run, an instance that was lost cannot be made
/// (Specification::instance()), MachineError when no process can be created, SimulationError when
/// processes keep dying before they have an instance or cannot share memory; rows appended until
/// then stay.
SweepProgress run_sweep(const Specification& specification, ResultDirectory& directory,
                        const SweepOptions& options, int processes,
                        const std::function<bool(const SweepProgress&)>& on_progress);

}  // namespace starport
