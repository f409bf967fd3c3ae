// The trace of a run of tile tasks: tasks, transfers and evictions with their dates, and its
// timeline for charts and trace files.
#pragma once

#include "sim/results/timeline.hpp"
#include "sim/tiles/runtime.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace starport::tiles {

/// A task on tiles with the worker that ran it and its dates in seconds (simulated, or since the
/// start of a real run). An element of TileTrace.
struct TracedTask {
  /// The task that ran: an update of a tile of C or of a partial sum, or a reduction, which adds a
  /// partial sum to a tile of C.
  Task task{};
  /// Index in Platform::workers, from 0, of the worker that ran the task.
  std::int32_t worker = 0;
  /// True if the strategy had stored the task for another worker (assigned by Strategy::steal()).
  bool stolen = false;
  /// Date in seconds, simulated or since the start of a real run, at which the task started.
  double start_s = 0;
  /// Date in seconds, simulated or since the start of a real run, at which the task ended.
  double end_s = 0;
};

/// A transfer of one tile between two memory nodes (main memory and GPUs), with its dates in
/// seconds (simulated, or since the start of a real run). An element of TileTrace.
struct TracedTransfer {
  /// The tile and the memory nodes (0: main memory, from 1: GPUs) from and to which it was copied.
  Transfer transfer{};
  /// Number of the transfer in the order in which the run-time system requested transfers, from 0;
  /// 0 for all if unknown, as in real runs.
  std::int64_t request = 0;
  /// Simulated date in seconds at which the transfer was requested; 0 if unknown, as in real runs.
  double requested_s = 0;
  /// Simulated date in seconds at which the transfer started. In a real run, seconds since the
  /// run's start at which it was submitted or, if later, the one before it in its direction ended.
  double start_s = 0;
  /// Simulated date in seconds at which the transfer ended. In a real run, seconds since the run's
  /// start at which the device reported the end, but no later than the first use of the copy.
  double end_s = 0;
};

/// The removal of a valid copy of a tile from a GPU's memory, with its date in seconds (simulated,
/// or since the start of a real run). An element of TileTrace.
struct TracedEviction {
  /// The tile and the memory node (from 1: a GPU) that it was removed from.
  Eviction eviction{};
  /// Simulated date in seconds at which the tile was removed. In a real run, whose removals are not
  /// recorded, seconds since the run's start at which the GPU began to fetch the tile again.
  double date_s = 0;
};

/// One entry of the trace of a run of tile tasks: a task, a transfer of a tile, or an eviction
/// (removal of a tile from a GPU's memory), with its dates.
using TraceRecord = std::variant<TracedTask, TracedTransfer, TracedEviction>;

/// Function that receives the entries of a trace one by one, in the order in which they start. Its
/// argument is valid during the call only; its exceptions pass through the function that calls it.
using TraceSink = std::function<void(const TraceRecord&)>;

/// A complete run of tile tasks: all tasks, transfers of tiles and evictions (removals of tiles
/// from GPU memories) with their dates. Each list is in the order in which its entries started.
/// Dates are in simulated seconds or, for a real run, in seconds since its start.
struct TileTrace {
  /// Tasks in the order in which they started.
  std::vector<TracedTask> tasks{};
  /// Transfers of tiles in the order in which they started.
  std::vector<TracedTransfer> transfers{};
  /// Evictions (removals of valid copies of tiles from GPU memories) in the order of their dates;
  /// copies that a task elsewhere makes invalid are not listed. Empty in simulations with unlimited
  /// memories; of a real run, only evictions of copies that were fetched again are known.
  std::vector<TracedEviction> evictions{};

  /// Appends an entry to the list of its kind (tasks, transfers or evictions). Entries must come in
  /// the order in which they started (not checked).
  void add(const TraceRecord& record) {
    if (const auto* task = std::get_if<TracedTask>(&record)) tasks.push_back(*task);
    if (const auto* transfer = std::get_if<TracedTransfer>(&record)) transfers.push_back(*transfer);
    if (const auto* eviction = std::get_if<TracedEviction>(&record)) evictions.push_back(*eviction);
  }
  /// Returns the date in seconds (simulated, or since the start of a real run) at which the last
  /// task ends; 0 without tasks. Walks the whole list.
  double last_task_end_s() const {
    double last_s = 0;
    for (const TracedTask& task : tasks) last_s = std::max(last_s, task.end_s);
    return last_s;
  }
  /// Returns the makespan of the run: the date in seconds (simulated, or since the start of a real
  /// run) at which the last task or transfer ends; 0 without any. Walks both lists.
  double end_s() const {
    double last_s = last_task_end_s();
    for (const TracedTransfer& transfer : transfers) last_s = std::max(last_s, transfer.end_s);
    return last_s;
  }
  /// Returns the number of tasks that the strategy had stored for another worker than the one that
  /// ran them (TracedTask::stolen).
  std::int64_t thefts() const {
    return std::count_if(tasks.begin(), tasks.end(),
                         [](const TracedTask& task) { return task.stolen; });
  }
};

/// Passes the entries of a trace to `sink`, by the dates of their starts; of equal dates tasks,
/// then transfers, then evictions, in the order of the lists. `sink` must not be empty
/// (std::bad_function_call otherwise, unless the trace is empty). Its exceptions pass to the
/// caller; the remaining entries are then not passed on.
void send_records(const TileTrace& trace, const TraceSink& sink);

/// Describes the first difference between the traces of two runs of tile tasks in one line without
/// a newline, such as "task 3 differs" (numbers from 1) or "8 tasks, not 9" (`ours` has 8); empty
/// if they are equal, also in workers and thefts. When and in which order transfers were requested
/// does not count. Compares the n-th entries of both, tasks first, then transfers, then evictions;
/// dates are equal within a relative 1e-9.
std::string find_difference(const TileTrace& ours, const TileTrace& theirs);

/// Recorder of the tasks, transfers and evictions that an engine reports while it runs; passes each
/// to a TraceSink when it has ended and all that started before have been passed on, i.e. in the
/// order of their starts. If one never ends, neither it nor any later one is passed on. The engine
/// owns one per run; stores only what has not been passed on.
class TraceRecorder {
 public:
  /// Makes a recorder for a run on a platform, of which it keeps no reference. `sink` must not be
  /// empty (not checked: otherwise std::bad_function_call at the first entry that is passed on).
  TraceRecorder(const Platform& platform, TraceSink sink)
      : sink_(std::move(sink)),
        last_tasks_(platform.workers.size()),
        last_transfers_(2 * platform.links.size()) {}

  /// Records that a task or transfer, which `runtime` has listed in Runtime::started, starts at
  /// simulated date `now_s` in seconds. Must be called before the next call of
  /// Runtime::handle_end(), and not for the failure of a worker (Activity::Kind::stop). Neither is
  /// checked (undefined behaviour or a wrong trace otherwise).
  void record_start(const Runtime& runtime, const Activity& activity, double now_s) {
    const auto resource = static_cast<std::size_t>(activity.resource);
    const std::size_t number = passed_on_ + pending_.size();
    if (activity.kind == Activity::Kind::task) {
      const AssignedTask& assigned = runtime.current_task(activity.resource);
      last_tasks_[resource] = number;
      pending_.push_back(
          {TracedTask{assigned.task, activity.resource, assigned.stolen, now_s, now_s}, false});
    } else {
      last_transfers_[resource] = number;
      const auto& [transfer, request_number, request_s] = runtime.request(activity.resource);
      pending_.push_back(
          {TracedTransfer{transfer, request_number, request_s, now_s, now_s}, false});
    }
  }
  /// Records that a task or transfer, whose start has been recorded (not checked: undefined
  /// behaviour or a wrong trace otherwise), ends at simulated date `now_s` in seconds. Ignores the
  /// failure of a worker (Activity::Kind::stop), which is not part of the trace. Exceptions of the
  /// sink pass through.
  void record_end(const Activity& activity, double now_s) {
    const auto resource = static_cast<std::size_t>(activity.resource);
    if (activity.kind == Activity::Kind::task) {
      Pending& own = pending_[last_tasks_[resource] - passed_on_];
      std::get<TracedTask>(own.record).end_s = now_s;
      own.has_ended = true;
    } else if (activity.kind == Activity::Kind::transfer) {
      Pending& own = pending_[last_transfers_[resource] - passed_on_];
      std::get<TracedTransfer>(own.record).end_s = now_s;
      own.has_ended = true;
    }
    pass_on();
  }
  /// Records that a tile was removed from a GPU's memory at simulated date `now_s` in seconds.
  /// Exceptions of the sink pass through.
  void record_eviction(const Eviction& eviction, double now_s) {
    pending_.push_back({TracedEviction{eviction, now_s}, true});
    pass_on();
  }

 private:
  struct Pending {
    TraceRecord record;
    bool has_ended;
  };

  void pass_on() {
    for (; !pending_.empty() && pending_.front().has_ended; ++passed_on_) {
      sink_(pending_.front().record);
      pending_.pop_front();
    }
  }

  TraceSink sink_;
  std::deque<Pending> pending_;              ///< in the order in which they started
  std::size_t passed_on_ = 0;                ///< number of entries before those in pending_
  std::vector<std::size_t> last_tasks_;      ///< by worker: number of its last task
  std::vector<std::size_t> last_transfers_;  ///< by link direction: number of its last transfer
};

/// Creates the timeline (data of a chart) of a run, called `name`, with one slice per transfer and
/// task, in the order of their starts. Its lanes (rows) are the CPU workers, then for each GPU both
/// directions of its link and its computation. Sets no bound on the makespan (Timeline::bound_s).
/// If `limited_memory` is true, the slices of tasks on GPUs and of transfers to them carry the
/// number of tiles in memory at their start, and the timeline has every removal of a tile from a
/// memory (Timeline::removals). `trace` must be a run of `graph` on `platform` (not checked:
/// undefined behaviour otherwise). The result refers to none of the arguments.
Timeline make_tile_timeline(const std::string& name, const Platform& platform,
                            const TaskGraph& graph, const TileTrace& trace, bool limited_memory);

}  // namespace starport::tiles
