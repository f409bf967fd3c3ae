// A pool of forked worker processes for independent tasks: a crash loses one task only.
#pragma once

#include "sim/files/error.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// The tasks of a pool of processes and what to do with their results.
struct PoolTasks {
  /// Runs in a worker process: does task `index` and returns its result as bytes. The only
  /// exception it may throw is std::bad_alloc, by which the task is lost.
  std::function<std::string(std::int64_t index)> run;
  /// Runs in the parent when a task has ended, in any order, with the result of `run`.
  std::function<void(std::int64_t index, std::string_view result)> on_finished;
  /// Runs in the parent when the process that did task `index` died; another process replaces it.
  std::function<void(std::int64_t index, const std::string& reason, FailureCause cause)> on_lost;
  /// Time limit of a task in seconds; a task that takes longer is killed and lost. 0: no limit.
  double time_limit_s = 0;
  /// Runs in the parent several times a second. Returning false stops the pool and abandons the
  /// tasks under way.
  std::function<bool()> should_continue;
};

/// Runs tasks 0 .. count-1, each once, in `processes` forked processes that take them in ascending
/// order. Returns false when should_continue stopped it. Throws MachineError when no process can be
/// created, and SimulationError when a process dies between two tasks.
bool run_in_processes(std::int64_t count, int processes, const PoolTasks& tasks);

}  // namespace starport
