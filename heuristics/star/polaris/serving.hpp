// Simulation of the order in which the master serves the workers
// (heuristics/star/polaris/README.md, "Serving: whom does the port serve next?"), and a cache of
// simulated schedules.
#pragma once

#include "heuristics/star/polaris/message_sequence.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/schedule.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace starport::polaris {

/// A rectangle of C with the worker that computes it and the mode (which blocks stay in memory,
/// sizes of messages) in which it does. A plain value, made from a tiling by make_tasks().
struct RectangleTask {
  /// Index in the platform, from 0, of the worker that computes the rectangle.
  int worker = 0;
  /// The blocks of C that the worker computes (half-open ranges of block indices from 0); not
  /// empty.
  Rectangle c;
  /// The way in which the worker computes its blocks of C: which matrix stays in memory and how
  /// messages are cut, for this worker and the size of `c`. Its kind is `none` if no way fits into
  /// the worker's memory.
  Mode mode;
  /// The values of k (in C_ij += A_ik B_kj; half-open, from 0) whose updates the worker does, while
  /// other workers do the others and all return partial sums of `c`; `mode` is then for that many
  /// values of k. Empty: all values, so that the worker returns the result.
  Range inner = {};
  /// True if the master sends the worker its blocks of C; false if they start from zero.
  bool receives_c = true;
};

/// Options of the schedule of a tiling (division of C into one rectangle per worker): how workers
/// compute their rectangles, how messages are cut, and in which order the port serves the workers.
struct ServingOptions {
  /// Restrictions on the modes of the workers, i.e. on which matrix stays in a worker's memory and
  /// how its messages are cut while it computes its rectangle of C; by default all modes with space
  /// for a whole column of A ahead are allowed.
  ModeOptions modes;
  /// Sizes and order of the messages with blocks of A, B and C to a worker.
  MessageOptions message_options;
  /// Factor, at least 0, that decides what comes first when the master can either send the next
  /// message to a worker or take back finished blocks of C. The blocks come first if that worker
  /// still has computations for longer than this factor times the transfer time of the message,
  /// else the message. 0: the blocks come first as long as the worker has any computation left. Has
  /// no effect with one port in each direction.
  double patience = 5;
  /// Largest number of finished block columns of C (within a band of rows; rows and columns
  /// exchanged if the mode is transposed) returned to the master in one message; at least 1 (not
  /// checked: with 0 a simulation may not end).
  std::int64_t return_columns = 1;
};

/// Outcome of one task (a worker's rectangle of C) in a simulated schedule: the dates at which its
/// last update and its last return of C end, in seconds since the start of the schedule (0 if there
/// is none), and the total duration of its updates in seconds. An element of ServedSchedule::tasks,
/// which is empty if the makespan is kUnknown.
struct TaskOutcome {
  /// Date at which the last update of the task (a worker's rectangle of C) ends, in seconds; 0 if
  /// there is none.
  double finish_s = 0;
  /// Total duration of the updates of the task, in seconds, at the speed for updates of the size
  /// typical of its mode (way to compute).
  double compute_s = 0;
  /// Date at which the last transfer of C from the worker to the master ends, in seconds; 0 if
  /// there is none.
  double return_end_s = 0;
};

/// The result of simulating the schedule of the tasks (one worker's rectangle of C each) of a
/// tiling (division of C among workers) on the master's port, as serve_tasks() and
/// ServingCache::serve() return it. Owns all its data.
struct ServedSchedule {
  /// Makespan of the schedule in simulated seconds; kUnknown (infinity) if the simulation was
  /// stopped by a limit or a message never fits into its worker's memory.
  double makespan_s = kUnknown;
  /// Dates and durations, in seconds, of each task (a worker's rectangle of C), in the order of the
  /// tasks; empty if the makespan is kUnknown.
  std::vector<TaskOutcome> tasks = {};
  /// Number of transfers simulated, in both directions, up to the stop if there was one.
  std::int64_t transfers = 0;
  /// True if the simulation was stopped because a transfer would end at the date limit that
  /// serve_tasks() or ServingCache::serve() was given, or later; false if it went to its end or a
  /// message never fits into its worker's memory.
  bool stopped = false;
  /// The simulated transfers of the schedule in the order in which they start, up to the stop if
  /// there was one: for each, 2 * (index of its task, from 0), plus 1 if it returns blocks of C to
  /// the master. Empty in results of ServingCache::serve().
  std::vector<std::uint32_t> order = {};
  /// For each simulated transfer, the date in seconds at which it and all transfers before it in
  /// `order` have ended, or the end of the simulation if that came first; ascending. Empty in
  /// results of ServingCache::serve().
  std::vector<double> ends_s = {};
};

/// Simulates, without noise, the schedule of the tasks (one worker's rectangle of C each) on the
/// port of `platform`: with one port, or on a multi-port master, a free port serves the worker with
/// the most computation not yet sent among those that can be served first (options.patience decides
/// between messages and returns); with one port in each direction, the transfer that can start
/// first comes next. There must be at most one task per worker, each with a mode (way to compute)
/// for its worker and size (not checked; a task whose mode has the kind `none` is skipped
/// silently). The makespan is kUnknown (infinity) if a message never fits into the memory of its
/// worker, or if the simulation reaches `limit_s` (simulated seconds; kUnknown: no limit). It then
/// stops after the first transfer that ends at that date or later or, on a multi-port master, at
/// that date with transfers under way. The makespan of no tasks is 0.
ServedSchedule serve_tasks(const Platform& platform, const Problem& problem,
                           const std::vector<RectangleTask>& tasks, const ServingOptions& options,
                           double limit_s);

/// Returns the transfers of the schedule of the tasks (one worker's rectangle of C each), with
/// their block indices, in the order of serve_tasks() without a limit. There must be at most one
/// task per worker, each with a mode (way to compute) for its worker and size (not checked; a task
/// whose mode has the kind `none` is left out). Ends early if a message never fits into the memory
/// of its worker.
std::vector<Transfer> list_transfers(const Platform& platform, const Problem& problem,
                                     const std::vector<RectangleTask>& tasks,
                                     const ServingOptions& options);

/// A first-in-first-out queue in a ring buffer, whose memory grows to the largest number of items
/// that it has contained at a time. T must be default-constructible and copyable.
template <class T>
class Queue {
 public:
  /// Returns true if the queue contains no item.
  bool empty() const { return first_ == end_; }
  /// Returns the oldest item; the reference is valid until the next push(), or the pop() of this
  /// item. The queue must not be empty (undefined behaviour).
  T& front() { return items_[first_ & (items_.size() - 1)]; }
  /// Returns the oldest item; the reference is valid until the next push(), or the pop() of this
  /// item. The queue must not be empty (undefined behaviour).
  const T& front() const { return items_[first_ & (items_.size() - 1)]; }
  /// Appends a copy of `item`, which must not be in the queue itself (not checked: undefined
  /// behaviour); invalidates references to items.
  void push(const T& item) {
    if (end_ - first_ == items_.size()) grow();
    items_[end_++ & (items_.size() - 1)] = item;
  }
  /// Removes the oldest item. The queue must not be empty (undefined behaviour).
  void pop() { ++first_; }

 private:
  void grow() {
    std::vector<T> items(std::max<std::size_t>(8, 2 * items_.size()));
    for (std::size_t i = first_; i < end_; ++i)
      items[i & (items.size() - 1)] = items_[i & (items_.size() - 1)];
    items_.swap(items);
  }

  std::vector<T> items_;   ///< their number is a power of 2
  std::size_t first_ = 0;  ///< number of items removed
  std::size_t end_ = 0;    ///< number of items appended
};

/// The simulated execution of one task (a worker's rectangle of C): what the worker has received,
/// computes and holds in memory. The caller decides when to send() and to return_to_master(), until
/// is_finished(). The platform must outlive it. Dates are in seconds since the start of the
/// schedule.
class TaskExecution {
 public:
  /// Starts the execution of a task (a worker's rectangle of C) of which nothing has been sent.
  /// `task.worker` must exist, and `task.mode` fit it and the size of `task.c` (not checked:
  /// undefined behaviour); with a mode of the kind `none` the task is finished at once. Keeps a
  /// pointer to the task's worker in `platform`, which must outlive it, and copies of everything
  /// else.
  TaskExecution(const Platform& platform, const Problem& problem, const RectangleTask& task,
                const ServingOptions& options)
      : worker_(&platform.workers[task.worker]),
        problem_(problem),
        returns_partial_sums_(!task.inner.empty()),
        return_columns_(options.return_columns),
        sequence_(task.worker, *worker_, with_inner(problem, task.inner), task.c, task.mode,
                  options.message_options, task.inner.begin, task.receives_c),
        transfer_sequence_(sequence_),
        update_s_(typical_update_s(*worker_, task.mode)),
        unsent_s_(static_cast<double>(task.c.size() * with_inner(problem, task.inner).t) *
                  update_s_) {
    outcome_.compute_s = unsent_s_;
    advance();
  }

  /// Returns the earliest date, in seconds, from which the next message to the worker fits into its
  /// memory; kUnknown (infinity) if blocks of C must be returned first, if it never fits, or if
  /// there is no next message.
  double send_s() const { return send_s_; }
  /// Returns the date, in seconds, from which the oldest finished columns of C can be returned to
  /// the master; kUnknown (infinity) if no columns whose last message has been sent are left to
  /// return.
  double return_s() const { return finished_.empty() ? kUnknown : finished_.front().end_s; }
  /// Returns true if all messages of the task have been sent to the worker and all its columns of C
  /// returned.
  bool is_finished() const { return next_ == count_ && finished_.empty(); }
  /// Returns the duration, in seconds, of the task's computations whose messages have not been
  /// sent, at the speed for updates of the size typical of its mode (way to compute); 0, up to
  /// rounding, when all are sent.
  double unsent_s() const { return unsent_s_; }
  /// Returns the date, in seconds, at which the last of the worker's updates whose messages have
  /// been sent ends; 0 before the first message.
  double busy_until_s() const { return outcome_.finish_s; }
  /// Returns the transfer time of the next message to the worker, in seconds. Meaningless if all
  /// have been sent.
  double service_s() const { return batch_[next_].service_s; }
  /// Returns the dates of the task (a worker's rectangle of C) so far; complete once is_finished().
  /// The reference is valid as long as this object, and its values change with send(),
  /// return_to_master(), end_send() and end_return().
  const TaskOutcome& outcome() const { return outcome_; }

  /// Sends the next message to the worker at date `start_s` (seconds) and returns the date in
  /// seconds at which the transfer ends. send_s() must be finite: otherwise the worker's memory
  /// overflows unnoticed or the behaviour is undefined (not checked). With a `start_s` before
  /// send_s(), all that is wrong are dates: callers that need only the order may pass 0.
  double send(double start_s) {
    const double end_s = start_s + batch_[next_].service_s;
    end_send(end_s);
    return end_s;
  }
  /// Records that the transfer of the next message to the worker has ended at `end_s` seconds. It
  /// must have started at send_s() or later, and send_s() must be finite (not checked: the worker's
  /// memory overflows unnoticed, or undefined behaviour). For transfers whose duration was not
  /// known at their start; see send() for the others.
  void end_send(double end_s) {
    const Message& message = batch_[next_];
    outcome_.finish_s = std::max(outcome_.finish_s, end_s) + message.update_s;
    unsent_s_ -= message.sent_s;
    held_ += message.occupied_blocks;
    pending_.push({outcome_.finish_s, message.released_blocks, ++updates_});
    if (!message.finished.empty()) {
      finished_.push({outcome_.finish_s, updates_, message.band, message.finished});
    }
    advance();
  }

  /// Sends the oldest finished columns of C, at most ServingOptions::return_columns, back to the
  /// master at date `start_s` (seconds) and returns the date in seconds at which the transfer ends.
  /// return_s() must be finite (not checked: undefined behaviour). With a `start_s` before
  /// return_s(), all that is wrong are dates: callers that need only the order may pass 0.
  double return_to_master(double start_s) {
    const double end_s = start_s + worker_->transfer_time_s(returned_blocks());
    end_return(end_s);
    return end_s;
  }
  /// Records that the return of the oldest finished columns of C (return_to_master()), which
  /// started at return_s() or later, ended at `end_s` seconds. There must be finished columns, i.e.
  /// return_s() be finite (not checked: undefined behaviour). For transfers whose duration was not
  /// known when they started.
  void end_return(double end_s) {
    Finished& oldest = finished_.front();
    const Range returned = returned_columns();
    oldest.columns.begin = returned.end;
    held_ -= std::int64_t{oldest.band.size()} * returned.size();
    if (oldest.columns.empty()) finished_.pop();
    update_send_date();
    outcome_.return_end_s = end_s;
  }
  /// Returns the number of blocks of the next message to the worker. Meaningless if all have been
  /// sent.
  std::int64_t message_blocks() const { return batch_[next_].blocks; }
  /// Returns the number of blocks of C that the next return_to_master() returns. return_s() must be
  /// finite (not checked: undefined behaviour).
  std::int64_t returned_blocks() const {
    return std::int64_t{finished_.front().band.size()} * returned_columns().size();
  }

  /// Returns the transfer of the next message to the worker, with its block indices and the update
  /// that it waits for. Must be called right before send(), and either for every message or for
  /// none, since it advances a sequence of its own. There must be a next message (not checked:
  /// undefined behaviour).
  Transfer message_transfer() {
    Transfer transfer = transfer_sequence_.to_transfer(transfer_sequence_.next());
    transfer.after_update = awaited_update_;
    return transfer;
  }
  /// Returns the transfer that the next return_to_master() makes, with its block indices and the
  /// update that it waits for. Changes nothing. return_s() must be finite, otherwise the behaviour
  /// is undefined.
  Transfer return_transfer() const {
    const Finished& oldest = finished_.front();
    return {.worker = sequence_.worker(),
            .direction = Direction::to_master,
            .partial_sums = returns_partial_sums_,
            .c = sequence_.c_rectangle(oldest.band, returned_columns()),
            .after_update = oldest.update};
  }

 private:
  static constexpr std::size_t kBatch = 8;
  /// The properties of a message that the simulation uses.
  struct Message {
    double service_s;              ///< transfer time
    double update_s;               ///< duration of its update
    double sent_s;                 ///< duration of its update at the typical speed
    std::int64_t blocks;           ///< blocks that it carries
    std::int64_t occupied_blocks;  ///< blocks of memory it occupies
    std::int64_t released_blocks;  ///< blocks of memory its update frees
    Range band;
    Range finished;  ///< columns of C that its update completes
  };
  /// An update that has not ended at the last known date.
  struct Pending {
    double end_s;
    std::int64_t released_blocks;
    std::int64_t update;
  };
  /// Columns of C that an update completes.
  struct Finished {
    double end_s;  ///< end of the update
    std::int64_t update;
    Range band;
    Range columns;
  };

  /// Returns the problem with the values of k in `inner` instead of all, unless it is empty.
  static Problem with_inner(Problem problem, const Range& inner) {
    if (!inner.empty()) problem.t = inner.size();
    return problem;
  }

  /// Advances to the next message. Messages are generated in batches of kBatch.
  void advance() {
    if (++next_ == kBatch) generate_batch();
    awaited_update_ = 0;
    update_send_date();
  }
  void generate_batch();
  Range returned_columns() const {
    const Range& columns = finished_.front().columns;
    return {columns.begin, static_cast<std::int32_t>(std::min<std::int64_t>(
                               columns.end, columns.begin + return_columns_))};
  }

  /// Computes send_s_: waits for as few pending updates as the next message requires.
  void update_send_date() {
    send_s_ = kUnknown;
    if (next_ == count_) return;
    while (held_ + batch_[next_].occupied_blocks > worker_->m_blocks) {
      if (pending_.empty()) return;
      held_ -= pending_.front().released_blocks;
      released_s_ = pending_.front().end_s;
      awaited_update_ = pending_.front().update;
      pending_.pop();
    }
    send_s_ = released_s_;
  }

  const Worker* worker_;
  Problem problem_;
  bool returns_partial_sums_;
  std::int64_t return_columns_;
  MessageSequence sequence_;
  MessageSequence transfer_sequence_;  ///< a second generator, for message_transfer()
  std::array<Message, kBatch> batch_{};
  std::size_t next_ = kBatch - 1;  ///< index of the next message in the batch
  std::size_t count_ = 0;          ///< messages in the batch; less than kBatch at the end
  double send_s_ = 0;
  double update_s_;  ///< typical time per block update
  double unsent_s_;
  std::int64_t held_ = 0;
  double released_s_ = 0;
  std::int64_t awaited_update_ = 0;  ///< number of the last update that the next message waits for
  std::int64_t updates_ = 0;
  Queue<Pending> pending_;
  Queue<Finished> finished_;
  TaskOutcome outcome_;
};

/// Cache of simulated schedules of tilings (divisions of C among workers) for one platform and
/// problem: returns the results of serve_tasks() without simulating again when a search reaches the
/// same rectangles, or changes an option that has no effect on them. Emptied when it has grown
/// beyond about 12 MB. The platform and the problem must outlive it and not change. Not
/// thread-safe.
class ServingCache {
 public:
  /// Creates an empty cache of simulated schedules on `platform` of `problem`; both must outlive it
  /// and not change. Temporaries are accepted and dangle.
  ServingCache(const Platform& platform, const Problem& problem)
      : platform_(platform), problem_(problem) {}

  /// Simulates the schedule of the tasks (one worker's rectangle of C each), or returns the cached
  /// result, bit by bit the same as serve_tasks() would return, except that `order` and `ends_s`
  /// are empty and that, on a multi-port master, `transfers` of a simulation stopped by the limit
  /// may be smaller. There must be at most one task per worker, each with a mode for its worker and
  /// size (not checked; one whose mode has the kind `none` is skipped silently). Each task must be
  /// for all values of k and receive C, since the cache does not distinguish RectangleTask::inner
  /// and receives_c (not checked: wrong results). The makespan is kUnknown (infinity) if a transfer
  /// ends at `limit_s` (simulated seconds; kUnknown: no limit) or later, or a message never fits
  /// into the memory of its worker.
  ServedSchedule serve(const std::vector<RectangleTask>& tasks, const ServingOptions& options,
                       double limit_s);
  /// Returns the order of the transfers of the complete schedule of the tasks (one worker's
  /// rectangle of C each), simulating it if needed. Each element is 2 * (index of the task, from
  /// 0), plus 1 if the transfer returns blocks of C to the master. Ends early if a message never
  /// fits into its worker's memory. The tasks must fulfil the requirements of serve(). The
  /// reference is valid until the next call of serve(), order() or copy_from() with this cache.
  const std::vector<std::uint32_t>& order(const std::vector<RectangleTask>& tasks,
                                          const ServingOptions& options);

  /// Copies a complete schedule from `other`, a cache for the same problem and the same port, whose
  /// platform has some of the workers of this one's, in the same order. `tasks_there` are the tasks
  /// with the workers' indices in the platform of `other`; `tasks` are the same ones, in the same
  /// order, with the indices in the platform of this cache, under which the schedule is stored and
  /// replaces one stored before. If `other` lacks the schedule, it is simulated and stored there
  /// first. That problem, port, tasks and the order of the workers correspond is not checked:
  /// serve() returns a wrong schedule otherwise. `other` must not be this cache.
  void copy_from(ServingCache& other, const std::vector<RectangleTask>& tasks_there,
                 const std::vector<RectangleTask>& tasks, const ServingOptions& options);

 private:
  using Key = std::vector<std::int64_t>;
  /// A schedule as far as it has been simulated.
  struct Run {
    ServedSchedule summary = {.stopped = true};  ///< without `order` and `ends_s`
    double end_s = -kUnknown;                    ///< end of the last transfer
    double before_end_s = -kUnknown;             ///< end of the transfer before it
    std::vector<std::uint32_t> order = {};       ///< of a complete schedule
    std::vector<double> ends_s = {};             ///< of a short one
  };
  /// Returns what a schedule depends on: the sizes and modes of rectangles, not their positions,
  /// and only those options that have an effect.
  Key make_key(const std::vector<RectangleTask>& tasks, const ServingOptions& options) const;
  /// Returns the cached run, a new one if there is none.
  Run& find(const std::vector<RectangleTask>& tasks, const ServingOptions& options);
  /// Replaces a run by a schedule that has been simulated.
  void store(Run& run, const ServedSchedule& schedule);

  const Platform& platform_;
  const Problem& problem_;
  std::map<Key, Run> runs_;
  std::size_t stored_ = 0;  ///< number of elements of `order` and `ends_s` in the cache
};

}  // namespace starport::polaris
