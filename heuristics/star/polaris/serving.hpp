// Simulation of the order in which the master serves the workers
// (heuristics/star/polaris/README.md, "The port").
#pragma once

#include "heuristics/star/polaris/message_sequence.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/message.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace starport::polaris {

/// A rectangle of C with the worker that computes it and the mode in which it does.
struct RectangleTask {
  int worker = 0;
  Rectangle c;
  Mode mode;
};

/// Options of a schedule, besides its tiling.
struct ServingOptions {
  ModeOptions modes;
  MessageOptions message_options;
  /// Finished columns of other workers are returned first as long as a worker's computation lasts
  /// this many times the transfer time of its next message.
  double patience = 5;
  std::int64_t return_columns = 1;  ///< maximum finished columns of C per message
};

/// Dates of one task in a schedule.
struct TaskOutcome {
  double finish_s = 0;      ///< end of the last update
  double compute_s = 0;     ///< total duration of the updates
  double return_end_s = 0;  ///< end of the last transfer of C to the master
};

/// The result of simulating the schedule of a tiling.
struct ServedSchedule {
  double makespan_s = kUnknown;
  std::vector<TaskOutcome> tasks =
      {};  ///< in the order of the tasks; empty if the makespan is kUnknown
  std::int64_t transfers = 0;
  bool stopped = false;                   ///< the simulation reached the limit
  std::vector<std::uint32_t> order = {};  ///< by transfer: 2 * task, plus 1 if it returns C
  std::vector<double> ends_s = {};        ///< end of each transfer
};

/// Simulates the schedule of the tasks, at most one per worker. The makespan is kUnknown if the
/// simulation stops, which it does after the first transfer that ends at `limit_s` or later, or if
/// a message never fits into the memory of its worker.
ServedSchedule serve_tasks(const Platform& platform, const Problem& problem,
                           const std::vector<RectangleTask>& tasks, const ServingOptions& options,
                           double limit_s);

/// A FIFO queue in a vector that releases popped items only when it becomes empty.
template <class T>
class Queue {
 public:
  bool empty() const { return first_ == items_.size(); }
  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }
  void push(const T& item) { items_.push_back(item); }
  void pop() {
    if (++first_ == items_.size()) {
      items_.clear();
      first_ = 0;
    }
  }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0;
};

/// The execution of one task: what its worker has received, computes and holds in memory.
class TaskExecution {
 public:
  TaskExecution(const Platform& platform, const Problem& problem, const RectangleTask& task,
                const ServingOptions& options)
      : worker_(&platform.workers[task.worker]),
        problem_(problem),
        return_columns_(options.return_columns),
        sequence_(task.worker, *worker_, problem, task.c, task.mode, options.message_options),
        transfer_sequence_(sequence_),
        update_s_(typical_update_s(*worker_, task.mode)),
        unsent_s_(static_cast<double>(task.c.size() * problem.t) * update_s_) {
    outcome_.compute_s = unsent_s_;
    advance();
  }

  /// Returns the date from which the next message fits into the worker's memory; kUnknown if C must
  /// be returned first or there is no next message.
  double send_s() const { return send_s_; }
  /// Returns the date from which finished columns of C can be returned; kUnknown if there are none.
  double return_s() const { return finished_.empty() ? kUnknown : finished_.front().end_s; }
  /// True if all messages have been sent and all columns of C returned.
  bool is_finished() const { return next_ == count_ && finished_.empty(); }
  /// Returns the duration of the computations whose messages have not been sent.
  double unsent_s() const { return unsent_s_; }
  /// Returns the end of the last update whose message has been sent.
  double busy_until_s() const { return outcome_.finish_s; }
  /// Returns the transfer time of the next message.
  double service_s() const { return batch_[next_].service_s; }
  const TaskOutcome& outcome() const { return outcome_; }

  /// Sends the next message at date `start_s`. Returns the end of the transfer.
  double send(double start_s) {
    const Message& message = batch_[next_];
    const double end_s = start_s + message.service_s;
    outcome_.finish_s = std::max(outcome_.finish_s, end_s) + message.update_s;
    unsent_s_ -= message.sent_s;
    held_ += message.occupied_blocks;
    pending_.push({outcome_.finish_s, message.released_blocks, ++updates_});
    if (!message.finished.empty()) {
      finished_.push({outcome_.finish_s, updates_, message.band, message.finished});
    }
    advance();
    return end_s;
  }

  /// Returns some of the oldest finished columns to the master at date `start_s`. Returns the end
  /// of the transfer.
  double return_to_master(double start_s) {
    Finished& oldest = finished_.front();
    const Range returned = returned_columns();
    oldest.columns.begin = returned.end;
    const std::int64_t blocks = oldest.band.size() * returned.size();
    held_ -= blocks;
    if (oldest.columns.empty()) finished_.pop();
    update_send_date();
    outcome_.return_end_s = start_s + worker_->transfer_time_s(blocks);
    return outcome_.return_end_s;
  }

  /// Returns the transfer of the next message, to be called before send(). Must be called either
  /// for every message or for none.
  Transfer message_transfer() {
    Transfer transfer = transfer_sequence_.to_transfer(transfer_sequence_.next());
    transfer.after_update = awaited_update_;
    return transfer;
  }
  /// Returns the transfer of the next return of columns, to be called before return_to_master().
  Transfer return_transfer() const {
    const Finished& oldest = finished_.front();
    return {.worker = sequence_.worker(),
            .direction = Direction::to_master,
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

}  // namespace starport::polaris
