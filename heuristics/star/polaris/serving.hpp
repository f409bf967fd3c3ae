// The order in which the master serves the workers (heuristics/star/polaris/README.md, "The port").
#pragma once

#include "heuristics/star/polaris/bundles.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/message.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace starport::polaris {

/// A rectangle of C, who does it and how.
struct Task {
  int worker = 0;
  Rectangle c;
  Mode mode;
};

struct ServingOptions {
  ModeChoice modes;
  BundleOptions bundles;
  /// A worker starves unless its work lasts this many times the time of its next message.
  double patience = 5;
  std::int64_t return_columns = 1;  ///< of finished C in one message, at most
};

/// What came out for one task.
struct TaskOutcome {
  double finish_s = 0;   ///< the end of its last update
  double compute_s = 0;  ///< of all its updates
  double home_s = 0;     ///< the end of its last return
};

struct ServedTasks {
  double makespan_s = kUnknown;
  std::vector<TaskOutcome> tasks = {};  ///< in their order; none when the makespan is infinite
  std::int64_t transfers = 0;
  bool stopped = false;                   ///< at the limit
  std::vector<std::uint32_t> order = {};  ///< of each transfer: 2 * task, + 1 for a return
  std::vector<double> ends_s = {};        ///< of each transfer
};

/// Serves the tasks, at most one for each worker; stops with the first transfer that ends at
/// `limit_s` or later, and then gives an infinite makespan.
ServedTasks serve_tasks(const Platform& platform, const Problem& problem,
                        const std::vector<Task>& tasks, const ServingOptions& options,
                        double limit_s);

/// A FIFO in a vector: what has left it is forgotten when it is empty.
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

/// One task on its way: what its worker has been sent, computes and holds.
class Service {
 public:
  Service(const Platform& platform, const Problem& problem, const Task& task,
          const ServingOptions& options)
      : worker_(&platform.workers[task.worker]),
        problem_(problem),
        return_columns_(options.return_columns),
        bundles_(task.worker, *worker_, problem, task.c, task.mode, options.bundles),
        told_(bundles_),
        update_s_(usual_update_s(*worker_, task.mode)),
        unsent_s_(static_cast<double>(task.c.size() * problem.t) * update_s_) {
    outcome_.compute_s = unsent_s_;
    fetch();
  }

  /// When the next message fits in memory without taking C home; kUnknown when it does not.
  double send_s() const { return send_s_; }
  /// When the oldest finished column is there to take home.
  double return_s() const { return finished_.empty() ? kUnknown : finished_.front().end_s; }
  bool over() const { return at_ == count_ && finished_.empty(); }
  double unsent_s() const { return unsent_s_; }
  double busy_until_s() const { return outcome_.finish_s; }
  double service_s() const { return ahead_[at_].service_s; }
  const TaskOutcome& outcome() const { return outcome_; }

  /// The next message, which starts at start_s. Returns its end.
  double send(double start_s) {
    const Message& message = ahead_[at_];
    const double end_s = start_s + message.service_s;
    outcome_.finish_s = std::max(outcome_.finish_s, end_s) + message.update_s;
    unsent_s_ -= message.sent_s;
    held_ += message.taken;
    pending_.push({outcome_.finish_s, message.released, ++updates_});
    if (!message.finished.empty()) {
      finished_.push({outcome_.finish_s, updates_, message.band, message.finished});
    }
    fetch();
    return end_s;
  }

  /// Takes home some of the oldest finished columns, from start_s. Returns the end.
  double take_home(double start_s) {
    Finished& oldest = finished_.front();
    const Range home = going_home();
    oldest.columns.begin = home.end;
    const std::int64_t blocks = oldest.band.size() * home.size();
    held_ -= blocks;
    if (oldest.columns.empty()) finished_.pop();
    find_room();
    outcome_.home_s = start_s + worker_->transfer_time_s(blocks);
    return outcome_.home_s;
  }

  // What they carry, asked for before them; of messages for each one or for none.
  Transfer message() {
    Transfer transfer = told_.transfer(told_.next());
    transfer.after_update = known_;
    return transfer;
  }
  Transfer home() const {
    const Finished& oldest = finished_.front();
    return {.worker = bundles_.worker(),
            .direction = Direction::to_master,
            .c = bundles_.of_c(oldest.band, going_home()),
            .after_update = oldest.update};
  }

 private:
  static constexpr std::size_t kAhead = 8;
  struct Message {
    double service_s;  ///< on the port
    double update_s;
    double sent_s;  ///< usual time of the update
    std::int64_t taken;
    std::int64_t released;
    Range band;
    Range finished;
  };
  struct Pending {
    double end_s;
    std::int64_t released;
    std::int64_t update;
  };
  struct Finished {
    double end_s;
    std::int64_t update;
    Range band;
    Range columns;
  };

  /// The next message; several are made in a row.
  void fetch() {
    if (++at_ == kAhead) make();
    known_ = 0;
    find_room();
  }
  void make();
  Range going_home() const {
    const Range& columns = finished_.front().columns;
    return {columns.begin, static_cast<std::int32_t>(std::min<std::int64_t>(
                               columns.end, columns.begin + return_columns_))};
  }

  /// Waits for no more updates than the next message needs.
  void find_room() {
    send_s_ = kUnknown;
    if (at_ == count_) return;
    while (held_ + ahead_[at_].taken > worker_->m_blocks) {
      if (pending_.empty()) return;
      held_ -= pending_.front().released;
      released_s_ = pending_.front().end_s;
      known_ = pending_.front().update;
      pending_.pop();
    }
    send_s_ = released_s_;
  }

  const Worker* worker_;
  Problem problem_;
  std::int64_t return_columns_;
  Bundles bundles_;
  Bundles told_;  ///< those whose blocks somebody wants to know, one after the other
  std::array<Message, kAhead> ahead_{};
  std::size_t at_ = kAhead - 1;  ///< the next message among them
  std::size_t count_ = 0;        ///< of them there are; fewer than kAhead when there are no more
  double send_s_ = 0;
  double update_s_;  ///< of a block update in most of its updates
  double unsent_s_;
  std::int64_t held_ = 0;
  double released_s_ = 0;
  std::int64_t known_ = 0;  ///< the update that the next message waits for
  std::int64_t updates_ = 0;
  Queue<Pending> pending_;
  Queue<Finished> finished_;
  TaskOutcome outcome_;
};

}  // namespace starport::polaris
