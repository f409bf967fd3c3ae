// A pool of forked worker processes for independent tasks: a crash loses one task only.
#pragma once

#include "sim/files/error.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace starport {

/// The tasks of run_in_processes() and what to do with their results. `run`, `on_finished`,
/// `on_lost` and `should_continue` must all be set (not checked). An exception that one of the last
/// three throws passes through run_in_processes(), which then kills its processes.
struct PoolTasks {
  /// Runs in a worker process, a copy of the parent, whose changes to memory are lost: does task
  /// `index`, from 0, and returns its result as bytes. The only exception it may throw is
  /// std::bad_alloc. Any exception ends the process, which another one replaces, and the task is
  /// lost: on_lost gets FailureCause::memory for std::bad_alloc, FailureCause::model for others.
  std::function<std::string(std::int64_t index)> run;
  /// Called in the parent when `run` has returned for task `index`, tasks in any order, with its
  /// result, which is valid during the call only.
  std::function<void(std::int64_t index, std::string_view result)> on_finished;
  /// Called in the parent when the process that did task `index` died or exceeded the time limit;
  /// another process replaces it and the task is not done again. `reason` says how it died, for
  /// messages. `cause` is FailureCause::time beyond the limit, memory after std::bad_alloc,
  /// failure_cause() of a signal (killed for SIGKILL, which the system also sends when it has no
  /// memory left), else model.
  std::function<void(std::int64_t index, const std::string& reason, FailureCause cause)> on_lost;
  /// Time limit of each task in wall-clock seconds, checked about five times a second; a task that
  /// takes longer is killed and lost with FailureCause::time. 0: no limit.
  double time_limit_s = 0;
  /// Called in the parent at the start and then several times a second. Returning false stops
  /// run_in_processes(): its worker processes are killed, and the tasks under way are abandoned
  /// without a call of on_lost.
  std::function<bool()> should_continue;
};

/// Runs tasks 0 .. count-1 (count >= 0, not checked) in `processes` forked processes that take them
/// in ascending order; blocks until all have ended. Returns true then, and false when
/// should_continue stopped it. `processes` must be at least 1 unless `count` is 0 (not checked;
/// endless recursion). A task whose process dies is reported to on_lost and not repeated; a process
/// that dies between two tasks is replaced, and a task that it may have taken is done at the end.
///
/// Throws MachineError when no process can be created, and SimulationError when processes keep
/// dying before they have a task (more than 100 without a finished task between) or no memory can
/// be shared. In the processes, usable_threads() is 1, and SIGINT, SIGTERM, SIGHUP and SIGQUIT are
/// ignored. `tasks` is used during the call only. Call it from a process with one thread, since it
/// forks.
bool run_in_processes(std::int64_t count, int processes, const PoolTasks& tasks);

}  // namespace starport
