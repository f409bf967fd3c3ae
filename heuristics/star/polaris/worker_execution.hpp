// State of one worker during a run of Polaris[adapt=yes]: what it holds and computes, how fast it
// has been observed to be, and forecasts of the dates at which it will be ready.
#pragma once

#include "heuristics/star/polaris/serving.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace starport::polaris {

/// Slow-down of the transfers or updates of one worker: observed duration / nominal duration (that
/// of the platform file), as a mean over about the last 16 in which recent ones count most. It
/// begins as if 15 had taken their nominal duration.
class ObservedSlowdown {
 public:
  /// Adds one transfer or update with its two durations in seconds; the nominal one must be above 0
  /// (not checked).
  void add(double observed_s, double nominal_s) {
    constexpr double last = 16;
    if (nominal_s_ == 0) observed_s_ = nominal_s_ = (last - 1) * nominal_s;
    observed_s_ = (1 - 1 / last) * observed_s_ + observed_s;
    nominal_s_ = (1 - 1 / last) * nominal_s_ + nominal_s;
  }
  /// Returns the slow-down, observed duration / nominal duration: above 1 if the worker is slower
  /// than nominal; exactly 1 if nothing has been added, or if it lies from 1/1.2 to 1.2, which
  /// random variation explains.
  double value() const {
    constexpr double significant = 1.2 * (1 + 1e-6);  // exactly 1.2 is not left to rounding
    if (nominal_s_ == 0) return 1;
    const double ratio = observed_s_ / nominal_s_;
    return ratio > significant || ratio * significant < 1 ? ratio : 1;
  }

 private:
  double observed_s_ = 0;
  double nominal_s_ = 0;
};

/// State of one worker during a run, as the dispatcher of Polaris[adapt=yes], which owns it, sees
/// it: the messages of its task (a rectangle of C in one mode, i.e. way to compute) that are left
/// to send, the blocks of C to return, the updates that it computes and how fast it has been. Dates
/// are in seconds since the start of the run. Messages are sent, and blocks of C return, in a fixed
/// order. The platform, the problem and the options must outlive it.
class WorkerExecution {
 public:
  /// Makes the state of worker number `worker` (from 0) of the platform, which must exist (not
  /// checked: undefined behaviour), without a task. Refers to the worker in `platform`, to the
  /// problem and to the options, which must outlive it.
  WorkerExecution(int worker, const Platform& platform, const Problem& problem,
                  const ServingOptions& options);

  /// Returns the index of the worker in the platform, from 0.
  int worker() const { return worker_; }
  /// Returns false if the worker has memory for fewer than three blocks, too little for any mode
  /// (way to compute a rectangle of C), or has stopped.
  bool is_usable() const { return is_usable_; }
  /// Returns true if messages of the worker's task are left to send; false without a task.
  bool has_messages() const { return next_.has_value(); }
  /// Returns true if observe() has not seen the end of an update whose message has arrived.
  bool is_computing() const { return !computing_.empty(); }
  /// Returns true if no message is left to send and no block of C to return; true without a task.
  bool is_finished() const { return !next_ && finished_.empty(); }

  /// Begins `task` on this worker. It must be for all values of k and receive C
  /// (RectangleTask::inner and receives_c are ignored), and its mode must be for this worker and
  /// the size of `task.c`, and not of the kind `none`. No message of an earlier task may be left;
  /// blocks of C may still have to return. Nothing is checked.
  void start(const RectangleTask& task);
  /// Returns the cheapest mode (way to compute) that the constructor's options allow for a
  /// rectangle of `rows` x `columns` blocks of C (each at least 1; not checked: undefined
  /// behaviour) on this worker: the one with the least time on the port, plus the time of the
  /// updates if the worker's speed depends on their size. If none fits into its memory, returns the
  /// cheapest without space for the next message; its kind is `none` if the worker has memory for
  /// fewer than three blocks.
  Mode find_mode(std::int64_t rows, std::int64_t columns) const;
  /// Returns the approximate nominal time in seconds that the port needs for all transfers, in both
  /// directions, of a task in `mode`, with a rectangle of C of the size for which find_mode()
  /// returned `mode`; does not depend on the task that this object executes. `mode` must be for
  /// this worker (not checked); 0 for the kind `none`.
  double port_time_s(const Mode& mode) const {
    return mode.blocks * figures_->c_s + static_cast<double>(mode.messages) * figures_->latency_s;
  }
  /// Records that the worker has stopped: it has no task any more and is not usable. Returns the
  /// blocks of C assigned to it that have not been returned, also those of earlier tasks, as
  /// disjoint rectangles; some may be empty.
  std::vector<Rectangle> stop();

  /// Returns true if the next message fits into the worker's memory at the current date of the run
  /// (`star`); false if there is none.
  bool can_send(const MasterView& star) const {
    return next_ && fits_ && has_ended(star, awaited_update_);
  }
  /// Returns true if blocks of C whose last update has ended by the current date of the run
  /// (`star`) are left to return.
  bool can_return(const MasterView& star) const {
    return !finished_.empty() && has_ended(star, finished_.front().update);
  }
  /// Returns true if the worker, by forecast, computes for longer than ServingOptions::patience
  /// times the transfer time of the next message, counted from `now_s`, the current date in
  /// seconds. There must be a next message (not checked: undefined behaviour).
  bool has_time(double now_s) const {
    return clearly_less(now_s + options_->patience * transfer_s(false), busy_until_s(now_s));
  }
  /// Returns a forecast of the date in seconds, at least `now_s`, from which the next message can
  /// be sent; kUnknown (infinity) if there is none, or if it does not fit before blocks of C
  /// return.
  double send_s(double now_s) const {
    return next_ && fits_ ? update_end_s(awaited_update_, now_s) : kUnknown;
  }
  /// Returns a forecast of the date in seconds, at least `now_s`, from which the oldest blocks of C
  /// whose last message has been sent can return; kUnknown (infinity) if there are none.
  double return_s(double now_s) const {
    return finished_.empty() ? kUnknown : update_end_s(finished_.front().update, now_s);
  }
  /// Returns a forecast, at the observed speed, of the duration in seconds of message_transfer()
  /// or, if `returns`, of return_transfer(). That transfer must exist (not checked: undefined
  /// behaviour).
  double transfer_s(bool returns) const;
  /// Returns a forecast, made at the date `now_s`, of the date in seconds at which the updates
  /// whose messages have been sent will have ended; it may lie before `now_s`, and is 0 before the
  /// first message.
  double busy_until_s(double now_s) const { return busy_until_s_ + late_s(now_s); }
  /// Returns true if the worker's last transfers or updates took more than 1.2 or less than 1/1.2
  /// times their nominal durations, as means over about 16 (ObservedSlowdown::value()); smaller
  /// differences count as random variation.
  bool has_changed_speed() const {
    return transfer_slowdown_.value() != 1 || update_slowdown_.value() != 1;
  }
  /// Returns the transfer of the next message, with the update that it waits for. There must be a
  /// next message (not checked: undefined behaviour).
  Transfer message_transfer() const;
  /// Returns the next transfer to the master, with the update that it waits for: the oldest blocks
  /// of C whose last message has been sent, at most ServingOptions::return_columns of their columns
  /// (rows, if the mode is transposed). There must be such blocks (not checked: undefined
  /// behaviour).
  Transfer return_transfer() const;

  /// Records that the transfer of the next message or, if `message` goes to the master, of
  /// return_transfer(), took from `start_s` to `end_s` (dates of the run in seconds). `message`
  /// must be that transfer's (not checked).
  void end_transfer(const Message& message, double start_s, double end_s);
  /// Records the updates that have ended by the current date of `star`, and from their durations
  /// how fast the worker is. To be called at each decision, after end_transfer(): `star` forgets
  /// the end of an update once a later transfer with the worker has ended.
  void observe(const MasterView& star);

  /// Returns the duration in seconds, at the observed speed, of the computations whose messages
  /// have not been sent; 0 without a task.
  double unsent_s() const { return unsent_s_ * update_slowdown_.value(); }
  /// Returns a forecast, at the observed speed, of the time in seconds that the port needs for the
  /// messages left to send to the worker and the blocks of C left to return; a transfer under way
  /// counts in full until end_transfer(). It follows from the approximate port_time_s() of the
  /// tasks, and so need not be exactly 0 when nothing is left.
  double unsent_port_s() const { return port_left_s_ * transfer_slowdown_.value(); }
  /// Returns a forecast of the seconds per block update that the worker would do beyond its task,
  /// if it has one: on the worker or on its link, whichever takes longer.
  double update_s() const { return std::max(update_s_ * update_slowdown_.value(), port_s()); }
  /// Returns a forecast of the seconds that the port needs to load the A of all rows of `c` or the
  /// B of all its columns, whichever is less; 0 if the worker holds what a part of `c` needs
  /// (extension_in() is not empty).
  double loading_s(const Rectangle& c) const;
  /// Returns a forecast of the time on the port, in seconds per block update that the worker would
  /// do beyond its task, if it has one; 0 if it is not usable.
  double port_s() const { return port_s_ * transfer_slowdown_.value(); }
  /// Returns a forecast of the date in seconds, at least `now_s`, at which all updates of the task
  /// will have ended; not before the date at which the port, if it served this worker alone from
  /// `now_s` on, would have sent the messages left and received the blocks of C left to return,
  /// those of earlier tasks included.
  double finish_s(double now_s) const {
    return std::max({now_s, busy_until_s(now_s) + unsent_s(), now_s + unsent_port_s()});
  }

  /// Returns the number of updates of the blocks of C that cut() could remove; 0 without a task.
  double removable_updates() const {
    return sequence_ ? static_cast<double>(sequence_->removable_blocks() * problem_->t) : 0;
  }
  /// Returns the rectangle of blocks of C from whose end cut() removes blocks first; empty if it
  /// can remove none.
  Rectangle removable() const { return sequence_ ? sequence_->removable() : Rectangle{}; }
  /// Removes from the end of the task whole rows or columns of blocks of C that have not been
  /// begun, at most `blocks` blocks, and returns them as disjoint rectangles; none if `blocks` is
  /// less than one row or column, or without a task. Keeps the first column (row, if the task is
  /// transposed) not begun of the rows (columns) that are being computed.
  std::vector<Rectangle> cut(std::int64_t blocks);
  /// Returns true at the last occasion for extend(): the next message will release some of the A
  /// (B, if the task is transposed) that stays in memory for the task's last band of rows
  /// (columns). False if no message is left.
  bool is_about_to_release() const { return next_ && sequence_->can_extend(true); }
  /// Returns the part of `c` that extend() can add to the task: its blocks in the task's current
  /// band (the rows, or columns if the task is transposed, that are computed before the next band),
  /// whose A (B) stays in memory. Empty if `c` lacks a row (column) of the band, the task has
  /// further bands, A (B) does not stay or a message has released some of it, or no message is
  /// left.
  Rectangle extension_in(Rectangle c) const;
  /// Returns true if the mode (way to compute) of the task is transposed: rows and columns of C,
  /// and A and B, have exchanged roles. There must be a task (not checked: undefined behaviour).
  bool is_transposed() const { return sequence_->is_transposed(); }
  /// Adds blocks of C to the task: a result of extension_in(), or some of its columns (rows, if the
  /// task is transposed), not empty and not in the task already. Nothing is checked.
  void extend(const Rectangle& c);

 private:
  struct Stopped {};
  /// An update whose end has not been observed.
  struct Computing {
    std::int64_t number;
    double arrived_s;  ///< when its blocks arrived
    double nominal_s;  ///< its duration by the platform file
    double end_s;      ///< forecast
  };
  /// The memory that an update releases when it ends.
  struct Release {
    std::int64_t update;
    std::int64_t blocks;
  };
  /// Blocks of C that an update completes.
  struct Finished {
    std::int64_t update;
    Rectangle c;
    bool transposed;
  };

  /// Makes the state of a worker that has stopped: it has no task and is not usable.
  WorkerExecution(const WorkerExecution& other, Stopped)
      : worker_(other.worker_),
        figures_(other.figures_),
        problem_(other.problem_),
        options_(other.options_),
        is_usable_(false),
        update_s_(other.update_s_) {}

  bool has_ended(const MasterView& star, std::int64_t update) const {
    return !clearly_less(star.now_s(), star.ready_after_update_s(worker_, update));
  }
  /// Returns how much later than forecast, at least, the update ends that the worker computes.
  double late_s(double now_s) const {
    return computing_.empty() ? 0 : std::max(0.0, now_s - computing_.front().end_s);
  }
  /// Forecast of the end of an update whose message has been sent; `now_s` if it has ended.
  double update_end_s(std::int64_t update, double now_s) const;
  void forecast();
  void add_unsent(std::int64_t blocks);

  void end_send(const Message& message, double end_s);
  void end_return(std::int64_t blocks);
  /// Finds the next message, and the last update that must end before it fits into memory.
  void prepare();

  int worker_;
  const Worker* figures_;
  const Problem* problem_;
  const ServingOptions* options_;
  bool is_usable_ = false;
  double update_s_;         ///< typical time per block update
  double port_s_ = 0;       ///< time on the port per block update beyond those assigned
  double port_left_s_ = 0;  ///< time on the port of the transfers left
  std::optional<MessageSequence> sequence_;
  std::optional<PlannedMessage> next_;
  bool fits_ = false;  ///< the next message fits once awaited_update_ has ended
  std::int64_t awaited_update_ = 0;
  double unsent_s_ = 0;
  std::int64_t held_ = 0;
  std::int64_t updates_ = 0;
  double update_end_s_ = 0;  ///< end of the last update that has been observed
  double busy_until_s_ = 0;  ///< forecast of the end of the updates that have been sent
  std::deque<Computing> computing_;
  std::deque<Release> releases_;
  std::deque<Finished> finished_;
  ObservedSlowdown transfer_slowdown_;
  ObservedSlowdown update_slowdown_;
};

}  // namespace starport::polaris
