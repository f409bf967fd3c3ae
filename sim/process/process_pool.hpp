// A pool of forked worker processes for independent tasks: a crash loses one task only.
#pragma once

#include "sim/files/error.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// The tasks of a pool of processes and what to do with their results. `run`, `on_finished`,
/// `on_lost` and `should_continue` must all be set.
struct PoolTasks {
  /// Runs in a worker process: does task `index`, from 0, and returns its result as bytes. The only
  /// exception it may throw is std::bad_alloc, by which the task is lost; any other ends the
  /// process, and the task is lost too.
  std::function<std::string(std::int64_t index)> run;
  /// Called in the parent when a task has ended, in any order, with the result of `run`, which is
  /// valid during the call only.
  std::function<void(std::int64_t index, std::string_view result)> on_finished;
  /// Called in the parent when the process that did task `index` died; another process replaces it.
  /// `reason` says how it died, for messages.
  std::function<void(std::int64_t index, const std::string& reason, FailureCause cause)> on_lost;
  /// Time limit of a task in wall-clock seconds; a task that takes longer is killed and lost with
  /// FailureCause::time. 0: no limit.
  double time_limit_s = 0;
  /// Called in the parent several times a second. Returning false stops the pool and abandons the
  /// tasks under way.
  std::function<bool()> should_continue;
};

/// Runs tasks 0 .. count-1, each once, in `processes` forked processes (at least 1, not checked)
/// that take them in ascending order; blocks until all are done. Returns true then, and false when
/// should_continue stopped it. Throws MachineError when no process can be created, and
/// SimulationError when processes keep dying before they have a task. A task whose process dies is
/// reported to on_lost and not repeated; a process that dies between two tasks is replaced. Call it
/// from a process with one thread, since it forks.
bool run_in_processes(std::int64_t count, int processes, const PoolTasks& tasks);

}  // namespace starport
